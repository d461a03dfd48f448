package io.weir.testkit.process;

/** Lets everyone through, or makes everyone wait. */
final class PauseGate {
  private boolean shut;

  synchronized void shut() {
    shut = true;
  }

  synchronized void open() {
    shut = false;
    notifyAll();
  }

  synchronized void pass() throws InterruptedException {
    while (shut) {
      wait();
    }
  }
}

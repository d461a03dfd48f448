package io.weir.testkit.process;

/** A gate that lets threads pass or makes them wait. */
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

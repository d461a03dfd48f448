package io.weir.cli.drill;

/** Does something if the process is told to end before this is closed, as by Ctrl-C. */
final class ShutdownHook implements AutoCloseable {
  private final Thread hook;

  ShutdownHook(Runnable action) {
    this.hook = new Thread(action, "at-exit");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending: it is being done.
    }
  }
}

package io.weir.cli.drill;

/** Runs an action if the process is stopped before this is closed, for example by Ctrl-C. */
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
      // The process is stopping, so the action is running.
    }
  }
}

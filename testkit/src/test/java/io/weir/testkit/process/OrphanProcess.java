package io.weir.testkit.process;

/** Starts a Redis in a separate JVM, prints its process id and waits to be killed. */
final class OrphanProcess {
  private OrphanProcess() {}

  public static void main(String[] args) throws Exception {
    // On a thread that ends: the server must outlive it, and die with the JVM.
    Thread starter = new Thread(() -> System.out.println(RedisServer.start().pid()));
    starter.start();
    starter.join();
    System.in.read();
  }
}

package io.weir.bench.front;

import io.weir.bench.run.BenchProcess;
import io.weir.bench.run.Jvm;
import io.weir.testkit.process.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Spring Cloud Gateway, from {@code bench/peers/spring-cloud-gateway} if that was built. */
final class SpringSubject {
  private static final Path BUILT = Path.of("bench", "peers", "spring-cloud-gateway", "target");

  private SpringSubject() {}

  static Optional<ServerProcess> start(int upstream, int redis) {
    if (!Files.isDirectory(BUILT.resolve("lib"))) {
      System.err.println("  without Spring Cloud Gateway, which was not built");
      return Optional.empty();
    }
    int port = FreePorts.free();
    List<String> command = Jvm.server("512m");
    command.set(
        command.indexOf("-cp") + 1, BUILT.resolve("classes") + ":" + BUILT.resolve("lib") + "/*");
    command.add("io.weir.bench.peer.SpringCloudGateway");
    command.add("--upstream=http://127.0.0.1:" + upstream);
    command.add("--server.port=" + port);
    command.add("--server.address=127.0.0.1");
    command.add("--spring.data.redis.port=" + redis);
    command.add("--logging.level.root=WARN");
    command.add("--spring.main.banner-mode=off");
    String title = "Spring Cloud Gateway, Redis";
    BenchProcess process = BenchProcess.start(title, command);
    awaitPort(port);
    return Optional.of(new ServerProcess(title, port, process::cpu, process));
  }

  private static void awaitPort(int port) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (System.nanoTime() < end) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return;
      } catch (IOException notYet) {
        pause();
      }
    }
    throw new IllegalStateException("Spring Cloud Gateway did not start");
  }

  private static void pause() {
    try {
      Thread.sleep(100);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

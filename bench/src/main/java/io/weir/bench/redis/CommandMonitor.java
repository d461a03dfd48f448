package io.weir.bench.redis;

import io.weir.testkit.process.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Counts the commands that clients send, by {@code MONITOR}: Redis's own statistics do not
 * distinguish them from commands called by scripts. It slows Redis down, so nothing else is
 * measured meanwhile.
 */
final class CommandMonitor {
  private static final String BY_SCRIPT = " lua] ";
  private static final String END = "the-turn-is-over";

  private final List<RedisServer> nodes;
  private final List<CompletableFuture<Long>> counts;

  private CommandMonitor(List<RedisServer> nodes, List<CompletableFuture<Long>> counts) {
    this.nodes = nodes;
    this.counts = counts;
  }

  static CommandMonitor of(List<RedisServer> nodes) {
    return new CommandMonitor(nodes, nodes.stream().map(CommandMonitor::watch).toList());
  }

  /** Stops monitoring and returns the number of commands that clients sent. */
  long stop() {
    nodes.forEach(node -> node.command("ECHO", END));
    return counts.stream().mapToLong(CompletableFuture::join).sum();
  }

  private static CompletableFuture<Long> watch(RedisServer node) {
    try {
      Socket socket = new Socket(node.host(), node.port());
      socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
      BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      String answer = lines.readLine();
      if (!"+OK".equals(answer)) {
        throw new IllegalStateException(node + " answered " + answer);
      }
      return CompletableFuture.supplyAsync(() -> count(socket, lines));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long count(Socket socket, BufferedReader lines) {
    long commands = 0;
    try (socket) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.contains(END)) {
          return commands;
        }
        if (!line.contains(BY_SCRIPT)) {
          commands++;
        }
      }
      throw new IllegalStateException("Redis closed the connection");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

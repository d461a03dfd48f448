package io.weir.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts Java processes like this one. */
final class Jvm {
  private Jvm() {}

  /** A command up to where the main class goes. */
  static List<String> command(String heap) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xms" + heap);
    command.add("-Xmx" + heap);
    // Compiles in the thread that needs it: on a busy machine, compiler threads would otherwise get
    // their turn when the warm-up is over.
    command.add("-Xbatch");
    String logs = Path.of(System.getProperty("java.io.tmpdir"), "weir-bench-sentinel").toString();
    command.add("-Dcsp.sentinel.log.dir=" + logs);
    command.add("-Djmh.ignoreLock=true");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    return command;
  }

  /** Starts a process whose output is read here; it ends with this one at the latest. */
  static Process start(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
      return process;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

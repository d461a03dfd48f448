package io.weir.bench.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Commands that start Java processes like this one. */
public final class Jvm {
  private Jvm() {}

  /** A command up to the main class. */
  public static List<String> command(String heap) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xms" + heap);
    command.add("-Xmx" + heap);
    // Compiles in the calling thread: on a busy machine, compiler threads would otherwise run only
    // after the warm-up.
    command.add("-Xbatch");
    String logs = Path.of(System.getProperty("java.io.tmpdir"), "weir-bench-sentinel").toString();
    command.add("-Dcsp.sentinel.log.dir=" + logs);
    command.add("-Djmh.ignoreLock=true");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    return command;
  }

  /** As {@link #command}, for a process whose event loops must not stop during compilation. */
  public static List<String> server(String heap) {
    List<String> command = command(heap);
    command.add("-XX:+BackgroundCompilation");
    return command;
  }
}

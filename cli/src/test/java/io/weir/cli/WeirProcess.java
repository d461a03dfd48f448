package io.weir.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The command as a separate process, which can be stopped and killed. */
final class WeirProcess implements AutoCloseable {
  private final Process process;
  private final List<String> greeting = new ArrayList<>();

  private WeirProcess(Process process) throws IOException {
    this.process = process;
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      greeting.add(line);
      if (line.startsWith("curl ")) {
        return;
      }
    }
    throw new IOException("the server ended");
  }

  /** Runs a command that serves; returns when it is ready. */
  static WeirProcess start(Path folder, String... arguments) throws IOException {
    return start(folder, Map.of(), arguments);
  }

  /** Runs a command with more in its environment. */
  static WeirProcess start(Path folder, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(Main.class.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(folder.resolve("err").toFile());
    builder.environment().put("XDG_STATE_HOME", folder.toString());
    builder.environment().putAll(environment);
    return new WeirProcess(builder.start());
  }

  Process process() {
    return process;
  }

  /** The value of a line of the banner, such as {@code decisions}. */
  String bannerLine(String what) {
    String prefix = "  " + what + " ";
    return greeting.stream()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()).strip())
        .findFirst()
        .orElseThrow();
  }

  /** The local address of a line of the banner, such as {@code gateway}. */
  String url(String what) {
    return bannerLine(what).split(" ", -1)[0].replace("0.0.0.0", "127.0.0.1");
  }

  /** Sends SIGKILL and waits for the exit. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}

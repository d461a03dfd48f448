package io.weir.testkit.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A child process that does not outlive this JVM, and to which signals can be sent.
 *
 * <p>A shutdown hook kills the remaining processes when the JVM ends. If the JVM itself is killed,
 * {@code setpriv --pdeathsig} helps where it exists (Linux): the kernel then kills the process
 * together with its parent. Parent means the <em>thread</em> that started it, hence one thread,
 * living as long as the JVM, starts all of them.
 */
final class ChildProcess {
  private static final Set<Process> LIVING = ConcurrentHashMap.newKeySet();
  private static final ExecutorService STARTER =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "weir-process-starter");
            thread.setDaemon(true);
            return thread;
          });
  private static final List<String> DIE_WITH_PARENT = List.of("setpriv", "--pdeathsig", "KILL");
  private static final boolean CAN_DIE_WITH_PARENT = canDieWithParent();

  static {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  LIVING.forEach(ChildProcess::killAndWait);
                  TempFolder.closeAll();
                },
                "weir-process-cleanup"));
  }

  private final Process process;

  private ChildProcess(Process process) {
    this.process = process;
  }

  /** Starts a command in a folder; its output is appended to the log. */
  static ChildProcess start(List<String> command, Path folder, Path log) {
    List<String> full = new ArrayList<>(CAN_DIE_WITH_PARENT ? DIE_WITH_PARENT : List.of());
    full.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(full)
            .directory(folder.toFile())
            .redirectInput(Redirect.from(new File("/dev/null")))
            .redirectErrorStream(true)
            .redirectOutput(Redirect.appendTo(log.toFile()));
    try {
      Process process = STARTER.submit(builder::start).get();
      LIVING.add(process);
      return new ChildProcess(process);
    } catch (ExecutionException e) {
      throw new IllegalStateException("cannot start " + full, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Runs a short command to its end and returns its output. */
  static String run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int status = process.waitFor();
      if (status != 0) {
        throw new IllegalStateException(command + " ended with " + status + ": " + output);
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Loads this class, which registers the shutdown hook. */
  static void cleanUpAtExit() {}

  static boolean canDieWithParent() {
    List<String> probe = new ArrayList<>(DIE_WITH_PARENT);
    probe.add("true");
    try {
      run(probe);
      return true;
    } catch (UncheckedIOException | IllegalStateException noSuchTool) {
      return false;
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Sends a signal that leaves the process alive, such as STOP or CONT. */
  void signal(String name) {
    run(List.of("sh", "-c", "kill -s " + name + " " + pid()));
  }

  /** Sends SIGKILL, which also ends a stopped process; returns when it has exited. */
  void kill() {
    killAndWait(process);
  }

  private static void killAndWait(Process process) {
    process.destroyForcibly();
    process.onExit().join();
    LIVING.remove(process);
  }

  /** The last lines of a log file. */
  static String tail(Path log, int lines) {
    try {
      List<String> all = Files.readAllLines(log, StandardCharsets.UTF_8);
      return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
    } catch (IOException e) {
      return "(no log: " + e.getMessage() + ")";
    }
  }
}

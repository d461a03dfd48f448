package io.weir.bench.redis;

import io.weir.bench.run.BenchProcess;
import io.weir.bench.run.Jvm;
import io.weir.bench.run.KeySequence;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A subject in a separate process with a separate Redis, which runs a turn on request. {@link
 * #main} is the entry point of that process.
 */
final class RedisSubjectProcess implements AutoCloseable {
  private static final String READY = "#ready";
  private static final String DONE = "#done ";

  private final SubjectServers servers;
  private final BenchProcess process;
  private final int keys;

  private RedisSubjectProcess(SubjectServers servers, BenchProcess process, int keys) {
    this.servers = servers;
    this.process = process;
    this.keys = keys;
  }

  /** Starts both; the subject initialises in the background. */
  static RedisSubjectProcess start(
      RedisSubjectKind peer, SubjectServers servers, int keys, int rules) {
    List<String> command = Jvm.server("384m");
    command.add(RedisSubjectProcess.class.getName());
    command.add(peer.name());
    command.add(servers.endpoint().print());
    command.add(Integer.toString(keys));
    command.add(Integer.toString(rules));
    return new RedisSubjectProcess(servers, BenchProcess.start(peer.title, command), keys);
  }

  void awaitReady() {
    process.await(READY);
  }

  RedisTurn run(int inFlight, int millis) {
    RedisUsage before = servers.work();
    TurnResult answers = turn(inFlight, millis);
    return new RedisTurn(answers, servers.work().since(before));
  }

  /** Number of commands that it sends per decision. */
  double commandsPerDecision(int inFlight, int millis) {
    CommandMonitor monitor = servers.monitor();
    long decisions = turn(inFlight, millis).calls();
    return (double) monitor.stop() / decisions;
  }

  double bytesPerKey() {
    return servers.bytesPerKey(keys);
  }

  private TurnResult turn(int inFlight, int millis) {
    process.send(inFlight + " " + millis);
    return TurnResult.parse(process.await(DONE));
  }

  @Override
  public void close() {
    process.close();
    servers.close();
  }

  public static void main(String[] args) {
    int status = 0;
    try {
      String[] keys = KeySequence.make(Integer.parseInt(args[2]));
      RedisSubject subject =
          RedisSubjectKind.valueOf(args[0])
              .make(RedisEndpoint.parse(args[1]), keys, Integer.parseInt(args[3]));
      takeTurns(new RedisLoad(subject, keys));
    } catch (Exception e) {
      e.printStackTrace(System.out);
      status = 1;
    }
    // Threads of the subject's client would prevent the process from exiting.
    Runtime.getRuntime().halt(status);
  }

  /** Runs until the parent process closes the pipe. */
  private static void takeTurns(RedisLoad load) throws IOException, InterruptedException {
    System.out.println(READY);
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] turn = line.split(" ");
      TurnResult answers = load.run(Integer.parseInt(turn[0]), Integer.parseInt(turn[1]));
      System.out.println(DONE + answers.print());
    }
  }
}

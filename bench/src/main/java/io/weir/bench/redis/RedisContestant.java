package io.weir.bench.redis;

import io.weir.bench.Child;
import io.weir.bench.Jvm;
import io.weir.bench.Keys;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A subject in a process of its own, with a Redis of its own, that runs whenever it is told to.
 * {@link #main} is what that process runs.
 */
final class RedisContestant implements AutoCloseable {
  private static final String READY = "#ready";
  private static final String DONE = "#done ";

  private final Servers servers;
  private final Child process;
  private final int keys;

  private RedisContestant(Servers servers, Child process, int keys) {
    this.servers = servers;
    this.process = process;
    this.keys = keys;
  }

  /** Starts both; the subject sets itself up meanwhile. */
  static RedisContestant start(RedisPeer peer, Servers servers, int keys, int rules) {
    List<String> command = Jvm.server("384m");
    command.add(RedisContestant.class.getName());
    command.add(peer.name());
    command.add(servers.place().print());
    command.add(Integer.toString(keys));
    command.add(Integer.toString(rules));
    return new RedisContestant(servers, Child.start(peer.title, command), keys);
  }

  void awaitReady() {
    process.await(READY);
  }

  Round run(int inFlight, int millis) {
    Work before = servers.work();
    Answers answers = turn(inFlight, millis);
    return new Round(answers, servers.work().since(before));
  }

  /** Commands that it sends for a decision. */
  double commandsPerDecision(int inFlight, int millis) {
    Monitor monitor = servers.monitor();
    long decisions = turn(inFlight, millis).calls();
    return (double) monitor.stop() / decisions;
  }

  double bytesPerKey() {
    return servers.bytesPerKey(keys);
  }

  private Answers turn(int inFlight, int millis) {
    process.tell(inFlight + " " + millis);
    return Answers.parse(process.await(DONE));
  }

  @Override
  public void close() {
    process.close();
    servers.close();
  }

  public static void main(String[] args) {
    int status = 0;
    try {
      String[] keys = Keys.make(Integer.parseInt(args[2]));
      RedisSubject subject =
          RedisPeer.valueOf(args[0]).make(Place.parse(args[1]), keys, Integer.parseInt(args[3]));
      takeTurns(new Load(subject, keys));
    } catch (Exception e) {
      e.printStackTrace(System.out);
      status = 1;
    }
    // Threads of the subject's client would keep the process alive.
    Runtime.getRuntime().halt(status);
  }

  /** Until whoever started this has gone. */
  private static void takeTurns(Load load) throws IOException, InterruptedException {
    System.out.println(READY);
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] turn = line.split(" ");
      Answers answers = load.run(Integer.parseInt(turn[0]), Integer.parseInt(turn[1]));
      System.out.println(DONE + answers.print());
    }
  }
}

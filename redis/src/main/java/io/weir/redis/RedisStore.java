package io.weir.redis;

import io.weir.Key;
import io.weir.SettlementResult;
import io.weir.limit.TakeReceipt;
import io.weir.redis.call.CallPurpose;
import io.weir.redis.call.NoAnswerException;
import io.weir.redis.fleet.FleetMembership;
import io.weir.redis.link.HotRuleRunner;
import io.weir.redis.link.RedisClients;
import io.weir.redis.link.ScriptRunner;
import io.weir.redis.script.KeyNames;
import io.weir.redis.script.Script;
import io.weir.redis.script.ScriptArguments;
import io.weir.redis.script.ScriptReply;
import io.weir.store.Draw;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A store in Redis, shared by the whole fleet.
 *
 * <p>The draws of a call are sent at the same time, in one script call per group of keys that can
 * share one: one in all on a single Redis, one per slot on a Cluster. If one group refuses, the
 * tokens taken by the others are given back, in one attempt. Draws that no node answered in time
 * are returned as unanswered; the near store in front of this one applies {@code on_fail} to them.
 */
@SuppressWarnings("exports") // the store contract is for modules of Weir; users pass the store on
public final class RedisStore implements Store {
  /** How long to wait for the remaining nodes before the connected ones are warmed up. */
  private static final long OTHER_NODES_MILLIS = 500;

  private static final long CONNECT_SECONDS = 2;

  /** An older start cannot belong to a decision in progress. */
  private static final long MAX_DECISION_MICROS = 60_000_000;

  /** For changes that leave no settled marker. */
  private static final SettlementTerms NO_TERM = SettlementTerms.of(Duration.ZERO);

  private final ScriptRunner runner;
  private final KeyNames names;
  private final TimeSource time;
  private final long timeoutMicros;
  private final CallPurpose purpose;
  private volatile long clockOffsetMicros;
  private volatile boolean closed;
  private volatile Optional<FleetMembership> fleet = Optional.empty();

  /**
   * A store for a service that embeds Weir, such as {@code connect("redis://localhost")}. Waits up
   * to two seconds for Redis, and returns without it after that. Counts the instances that share
   * it.
   */
  public static RedisStore connect(String address) {
    return connect(RedisOptions.of(address));
  }

  /** As {@link #connect(String)}, with further options. */
  public static RedisStore connect(RedisOptions options) {
    RedisStore store = open(options, SystemTime.INSTANCE);
    store.fleet = Optional.of(FleetMembership.join(store, SystemTime.INSTANCE, 1));
    store
        .ready()
        .toCompletableFuture()
        .copy()
        .completeOnTimeout(null, CONNECT_SECONDS, TimeUnit.SECONDS)
        .exceptionally(failed -> null)
        .join();
    return store;
  }

  /**
   * A store on the Redis of these options. Returns at once and connects in the background. Until it
   * is connected, every draw is unanswered.
   */
  public static RedisStore open(RedisOptions options, TimeSource time) {
    return open(options, time, RedisEvents.NONE);
  }

  /**
   * As {@link #open(RedisOptions, TimeSource)}, with a listener for replies and failures of nodes.
   */
  public static RedisStore open(RedisOptions options, TimeSource time, RedisEvents events) {
    return new RedisStore(
        RedisClients.open(options, time, events),
        new KeyNames(options.tagSecret().getBytes(StandardCharsets.UTF_8)),
        time,
        options.timeout());
  }

  /**
   * As {@link #open(RedisOptions, TimeSource, RedisEvents)}, with the keys of some rules in another
   * Redis: for keys with more load than one node can serve beside all others.
   *
   * @param rules the ids of the rules whose keys live in {@code hot}
   */
  public static RedisStore open(
      RedisOptions options,
      RedisOptions hot,
      Set<String> rules,
      TimeSource time,
      RedisEvents events) {
    ScriptRunner others = RedisClients.open(options, time, events);
    try {
      return new RedisStore(
          new HotRuleRunner(rules, RedisClients.open(hot, time, events), others),
          new KeyNames(options.tagSecret().getBytes(StandardCharsets.UTF_8)),
          time,
          options.timeout());
    } catch (RuntimeException e) {
      others.close();
      throw e;
    }
  }

  RedisStore(ScriptRunner runner, KeyNames names, TimeSource time, Duration timeout) {
    this(runner, names, time, timeout.toNanos() / 1000, CallPurpose.USE);
  }

  RedisStore(
      ScriptRunner runner,
      KeyNames names,
      TimeSource time,
      long timeoutMicros,
      CallPurpose purpose) {
    this.runner = runner;
    this.names = names;
    this.time = time;
    this.timeoutMicros = timeoutMicros;
    this.purpose = purpose;
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    return reserve(0, draws);
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    return draws.isEmpty()
        ? CompletableFuture.completedFuture(new TakeResult(true, List.of(), List.of()))
        : decide(reservation, draws).thenApply(DrawRound::result);
  }

  private CompletionStage<DrawRound> decide(long reservation, List<Draw> draws) {
    long started = Draw.startOf(draws);
    long startMicros = started == 0 ? time.micros() : started;
    DrawRound round = new DrawRound(draws, names, runner);
    CompletionStage<DrawRound> decided =
        send(reservation, round, round.groups(), wallNow(), started);
    if (round.hasCalendar()) {
      decided = decided.thenCompose(sent -> retryUndecided(reservation, sent, startMicros));
    }
    return round.groups().size() == 1
        ? decided
        : decided.thenApply(
            done -> {
              giveBack(reservation, done);
              return done;
            });
  }

  /**
   * Sends groups again whose calendar periods did not match the store's clock. Both attempts share
   * one deadline; a group without a reply by then is unanswered.
   */
  private CompletionStage<DrawRound> retryUndecided(
      long reservation, DrawRound sent, long startMicros) {
    List<int[]> undecided = sent.undecided();
    if (undecided.isEmpty()) {
      return CompletableFuture.completedFuture(sent);
    }
    updateClockOffset(sent.storeNow());
    return send(reservation, sent.without(undecided), undecided, wallNow(), startMicros);
  }

  /**
   * Sends a follow-up call of a decision, within the decision's deadline.
   *
   * @param request sends the call; not used if no time is left
   */
  @SuppressWarnings(
      "FutureReturnValueIgnored") // cancels the call if it is still in flight then, nothing else
  private CompletionStage<byte[]> withinDeadline(
      long startMicros, Supplier<CompletionStage<byte[]>> request) {
    long elapsed = time.micros() - startMicros;
    // A start on another clock is no use: the full timeout applies.
    long left =
        elapsed < 0 || elapsed > MAX_DECISION_MICROS ? timeoutMicros : timeoutMicros - elapsed;
    if (left <= 0) {
      return CompletableFuture.failedFuture(NoAnswerException.noTimeLeft());
    }
    CompletableFuture<byte[]> reply = request.get().toCompletableFuture();
    if (!reply.isDone()) {
      time.delay(Duration.ofNanos(1000 * left)).thenRun(() -> reply.cancel(false));
    }
    return reply;
  }

  /** The wall clock, corrected after it was found to be in another calendar period than Redis. */
  private long wallNow() {
    return time.wallMicros() + clockOffsetMicros;
  }

  private void updateClockOffset(long storeNow) {
    clockOffsetMicros = storeNow - time.wallMicros();
  }

  /**
   * Sends groups at the same time, with the calendar periods around this time.
   *
   * @param started when the decision began, in µs; 0 if it begins now
   */
  private CompletionStage<DrawRound> send(
      long reservation, DrawRound round, List<int[]> groups, long wallNow, long started) {
    if (groups.size() == 1) {
      return send(reservation, round, groups.get(0), wallNow, started);
    }
    CompletableFuture<?>[] sent = new CompletableFuture<?>[groups.size()];
    for (int i = 0; i < sent.length; i++) {
      sent[i] = send(reservation, round, groups.get(i), wallNow, started).toCompletableFuture();
    }
    return CompletableFuture.allOf(sent).thenApply(done -> round);
  }

  /**
   * Gives back the tokens that some groups took for a call that another refused. Sent once, without
   * a retry.
   */
  private void giveBack(long reservation, DrawRound round) {
    for (List<ReservedPart> parts : round.giveBacks()) {
      changeGroup(StateChange.GIVE_BACK, reservation, parts, NO_TERM);
    }
  }

  private CompletionStage<DrawRound> send(
      long reservation, DrawRound round, int[] group, long wallNow, long started) {
    ScriptArguments arguments = new ScriptArguments(wallNow).count(group.length);
    byte[][] keys = new byte[group.length][];
    Script script = keys.length == 1 ? Script.TAKE_ONE_BUCKET : Script.TAKE_BUCKETS;
    for (int i = 0; i < keys.length; i++) {
      Draw draw = round.draw(group[i]);
      keys[i] = round.key(group[i]);
      arguments.draw(draw, reservation);
      script = ScriptArguments.isForBuckets(draw) ? script : Script.TAKE;
    }
    Script chosen = script;
    byte[] args = arguments.bytes();
    CompletionStage<byte[]> reply =
        started == 0
            ? runner.run(purpose, chosen, keys, args)
            : withinDeadline(started, () -> runner.run(purpose, chosen, keys, args));
    return reply.handle(
        (bytes, problem) -> {
          if (problem == null) {
            ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            long now = (long) from.getDouble();
            for (int index : group) {
              round.setReply(index, ScriptReply.read(chosen, from, now, round.draw(index)));
            }
          } else if (!NoAnswerException.from(problem).mayHaveBeenApplied()) {
            round.markNotSent(group);
          }
          return round;
        });
  }

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    return parts.isEmpty()
        ? CompletableFuture.completedFuture(SettlementResult.DONE)
        : change(StateChange.SETTLE, reservation, parts, terms);
  }

  @Override
  public CompletionStage<SettlementResult> release(long reservation, List<ReservedPart> parts) {
    return change(StateChange.RELEASE, reservation, parts, NO_TERM);
  }

  @Override
  public CompletionStage<SettlementResult> renew(long reservation, List<ReservedPart> parts) {
    return change(StateChange.RENEW, reservation, parts, NO_TERM);
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return grant(pool, key, amount).thenApply(done -> null);
  }

  @Override
  public CompletionStage<SettlementResult> grant(Pool pool, Key key, long amount) {
    ReservedPart part = new ReservedPart(pool, key, amount, 0, new TakeReceipt(0, 0));
    return change(StateChange.REFUND, 0, List.of(part), NO_TERM);
  }

  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    return runOnBucket(StateChange.RESET, pool, key, arguments -> {})
        .handle(
            (reply, problem) -> problem == null ? resultOf(reply) : SettlementResult.UNAVAILABLE);
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
    return runOnBucket(StateChange.END_LEASE, pool, key, it -> it.endOf(lease, pool))
        .handle((reply, problem) -> null);
  }

  /** Runs a change of one bucket that is not a part of a reservation. */
  private CompletionStage<byte[]> runOnBucket(
      StateChange change, Pool pool, Key key, Consumer<ScriptArguments> rest) {
    ScriptArguments arguments = new ScriptArguments(wallNow()).octet(change.ordinal());
    arguments.add(0);
    arguments.add(0);
    rest.accept(arguments);
    byte[][] keys = {names.bucket(pool, key)};
    return runner.run(purpose, Script.SETTLE, keys, arguments.bytes());
  }

  /** Applies a change to every group of the parts. */
  private CompletionStage<SettlementResult> change(
      StateChange change, long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    Map<Integer, List<ReservedPart>> groups = new LinkedHashMap<>();
    for (ReservedPart part : parts) {
      groups
          .computeIfAbsent(
              runner.groupOf(names.bucket(part.pool(), part.key())), any -> new ArrayList<>())
          .add(part);
    }
    CompletionStage<SettlementResult> all =
        CompletableFuture.completedFuture(SettlementResult.ALREADY);
    for (List<ReservedPart> group : groups.values()) {
      all = all.thenCombine(changeGroup(change, reservation, group, terms), SettlementResult::and);
    }
    return all;
  }

  private CompletionStage<SettlementResult> changeGroup(
      StateChange change, long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    long startMicros = time.micros();
    return runChange(change, reservation, parts, terms)
        .thenCompose(
            reply -> {
              if (reply.length != Double.BYTES) {
                return CompletableFuture.completedFuture(reply);
              }
              updateClockOffset(
                  (long) ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN).getDouble());
              return withinDeadline(
                  startMicros, () -> runChange(change, reservation, parts, terms));
            })
        .handle(
            (reply, problem) -> problem == null ? resultOf(reply) : SettlementResult.UNAVAILABLE);
  }

  private CompletionStage<byte[]> runChange(
      StateChange change, long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    ScriptArguments arguments = new ScriptArguments(wallNow()).octet(change.ordinal());
    arguments.add(terms.within().toMillis());
    arguments.add(terms.marked().toMillis());
    List<byte[]> keys = new ArrayList<>();
    for (ReservedPart part : parts) {
      keys.add(names.bucket(part.pool(), part.key()));
      arguments.part(part, reservation);
    }
    if (change == StateChange.SETTLE) {
      keys.addAll(names.markers(keys, reservation));
    }
    return runner.run(purpose, Script.SETTLE, keys.toArray(byte[][]::new), arguments.bytes());
  }

  private static SettlementResult resultOf(byte[] reply) {
    return reply.length == 1 && reply[0] == '1' ? SettlementResult.DONE : SettlementResult.ALREADY;
  }

  @Override
  public boolean isUnavailable(Pool pool, Key key) {
    return runner.isUnavailable(names.bucket(pool, key));
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    List<Draw> looks = draws.stream().map(Draw::asLook).toList();
    return decide(0, looks).thenApply(DrawRound::descriptions);
  }

  /**
   * Completes once every node is connected and has answered every script for its warm-up keys, so
   * that the first real call is not slow. Never completes if a node never connects; the other nodes
   * are warmed up all the same. May fail once the store is closed.
   */
  public CompletionStage<Void> ready() {
    CompletableFuture<Void> all = runner.connected().toCompletableFuture();
    return runner
        .anyConnected()
        .thenCompose(
            some -> all.copy().completeOnTimeout(null, OTHER_NODES_MILLIS, TimeUnit.MILLISECONDS))
        .thenCompose(there -> all.isDone() ? all : warmUp().once().thenCompose(warm -> all))
        .thenCompose(reached -> warmUp().untilAnswered());
  }

  /** A warm-up of all nodes. */
  private WarmUp warmUp() {
    RedisStore warmingStore =
        new RedisStore(runner, names, time, timeoutMicros, CallPurpose.WARM_UP);
    return new WarmUp(warmingStore, runner.ruleOfEachDeployment(), time, () -> closed);
  }

  @Override
  public int instances() {
    return fleet.map(FleetMembership::instances).orElse(1);
  }

  @Override
  public void close() {
    fleet.ifPresent(FleetMembership::close);
    closed = true;
    runner.close();
  }
}

package io.weir.redis;

import io.weir.Key;
import io.weir.SettlementResult;
import io.weir.limit.TakeReceipt;
import io.weir.redis.call.CallPurpose;
import io.weir.redis.call.NoAnswerException;
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
import java.util.function.Supplier;

/**
 * State in Redis, shared by the whole fleet.
 *
 * <p>A call's draws go out at the same moment, one script call per group of keys that can share
 * one: one in all on a single Redis, one per slot on a Cluster. If one group refuses, what the
 * others took is given back, once. Draws that no node answered in time come back as such; what
 * follows from that is for the tier before this store to say.
 */
public final class RedisStore implements Store {
  /** How long those who were reached wait for the others before the way to them is warmed. */
  private static final long OTHERS_MILLIS = 500;

  private static final long CONNECT_SECONDS = 2;

  /** No decision takes so long. */
  private static final long FORGOTTEN_MICROS = 60_000_000;

  /** Of what is done whenever it is asked for, and leaves no mark. */
  private static final SettlementTerms NO_TERM = SettlementTerms.of(Duration.ZERO);

  private final ScriptRunner link;
  private final KeyNames names;
  private final TimeSource time;
  private final long timeoutMicros;
  private final CallPurpose purpose;
  private volatile long behindMicros;
  private volatile boolean closed;
  private volatile Optional<FleetMembership> fleet = Optional.empty();

  /**
   * A store for a service that embeds Weir, such as {@code connect("redis://localhost")}. Waits up
   * to two seconds for Redis and goes on without it after that. Counts the instances that share it.
   */
  public static RedisStore connect(String address) {
    return connect(RedisOptions.of(address));
  }

  /** As {@link #connect(String)}, with other options than the address. */
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
   * A store on the Redis that the options name; returns at once, and keeps trying to reach it.
   * Until it is reached, every draw is unanswered.
   */
  public static RedisStore open(RedisOptions options, TimeSource time) {
    return open(options, time, RedisEvents.NONE);
  }

  /** As {@link #open(RedisOptions, TimeSource)}, telling how nodes answer. */
  public static RedisStore open(RedisOptions options, TimeSource time, RedisEvents events) {
    return new RedisStore(
        RedisClients.open(options, time, events),
        new KeyNames(options.tagSecret().getBytes(StandardCharsets.UTF_8)),
        time,
        options.timeout());
  }

  /**
   * As {@link #open(RedisOptions, TimeSource, RedisEvents)}, with the keys of some rules in another
   * Redis: for keys so hot that one node could not bear them beside all others.
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

  public RedisStore(ScriptRunner link, KeyNames names, TimeSource time, Duration timeout) {
    this(link, names, time, timeout.toNanos() / 1000, CallPurpose.USE);
  }

  RedisStore(
      ScriptRunner link, KeyNames names, TimeSource time, long timeoutMicros, CallPurpose purpose) {
    this.link = link;
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
        : decide(reservation, draws).thenApply(DrawRound::taking);
  }

  private CompletionStage<DrawRound> decide(long reservation, List<Draw> draws) {
    long earlier = Draw.startOf(draws);
    long begun = earlier == 0 ? time.micros() : earlier;
    DrawRound round = new DrawRound(draws, names, link);
    CompletionStage<DrawRound> decided =
        ask(reservation, round, round.groups(), wallNow(), earlier);
    if (round.hasCalendar()) {
      decided = decided.thenCompose(asked -> retryUndecided(reservation, asked, begun));
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
   * Asks groups again for which the calendar periods that were sent were not those of now. Both
   * times share one deadline; what is not answered by then is unanswered.
   */
  private CompletionStage<DrawRound> retryUndecided(long reservation, DrawRound asked, long begun) {
    List<int[]> undecided = asked.undecided();
    if (undecided.isEmpty()) {
      return CompletableFuture.completedFuture(asked);
    }
    updateClockOffset(asked.storeNow());
    return ask(reservation, asked.without(undecided), undecided, wallNow(), begun);
  }

  /**
   * Asks in a further call of what began earlier: there is no answer once its deadline is over.
   *
   * @param question asks, unless it is too late for that
   */
  @SuppressWarnings("FutureReturnValueIgnored") // ends what is still under way then, and no more
  private CompletionStage<byte[]> inTime(long begun, Supplier<CompletionStage<byte[]>> question) {
    long gone = time.micros() - begun;
    // If it is not of this clock, it says nothing.
    long left = gone < 0 || gone > FORGOTTEN_MICROS ? timeoutMicros : timeoutMicros - gone;
    if (left <= 0) {
      return CompletableFuture.failedFuture(NoAnswerException.noTimeLeft());
    }
    CompletableFuture<byte[]> answer = question.get().toCompletableFuture();
    if (!answer.isDone()) {
      time.delay(Duration.ofNanos(1000 * left)).thenRun(() -> answer.cancel(false));
    }
    return answer;
  }

  /** The time of day, set right where it was found to be in another calendar period than Redis. */
  private long wallNow() {
    return time.wallMicros() + behindMicros;
  }

  private void updateClockOffset(long storeNow) {
    behindMicros = storeNow - time.wallMicros();
  }

  /**
   * Asks groups at the same moment, with the calendar periods around this time.
   *
   * @param earlier when the decision began; 0 if that is now
   */
  private CompletionStage<DrawRound> ask(
      long reservation, DrawRound round, List<int[]> groups, long wallNow, long earlier) {
    if (groups.size() == 1) {
      return ask(reservation, round, groups.get(0), wallNow, earlier);
    }
    CompletableFuture<?>[] asked = new CompletableFuture<?>[groups.size()];
    for (int i = 0; i < asked.length; i++) {
      asked[i] = ask(reservation, round, groups.get(i), wallNow, earlier).toCompletableFuture();
    }
    return CompletableFuture.allOf(asked).thenApply(done -> round);
  }

  /**
   * Gives back what some groups took for a call that another refused; sent once, whatever comes of
   * it.
   */
  private void giveBack(long reservation, DrawRound round) {
    for (List<ReservedPart> back : round.giveBacks()) {
      changeGroup(StateChange.GIVE_BACK, reservation, back, NO_TERM);
    }
  }

  private CompletionStage<DrawRound> ask(
      long reservation, DrawRound round, int[] group, long wallNow, long earlier) {
    ScriptArguments packer = new ScriptArguments(wallNow).count(group.length);
    byte[][] keys = new byte[group.length][];
    Script script = keys.length == 1 ? Script.BUCKET : Script.BUCKETS;
    for (int i = 0; i < keys.length; i++) {
      Draw draw = round.draw(group[i]);
      keys[i] = round.key(group[i]);
      packer.draw(draw, reservation);
      script = ScriptArguments.isForBuckets(draw) ? script : Script.TAKE;
    }
    Script asked = script;
    byte[] args = packer.bytes();
    CompletionStage<byte[]> answer =
        earlier == 0
            ? link.run(purpose, asked, keys, args)
            : inTime(earlier, () -> link.run(purpose, asked, keys, args));
    return answer.handle(
        (bytes, problem) -> {
          if (problem == null) {
            ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            long now = (long) from.getDouble();
            for (int place : group) {
              round.answer(place, ScriptReply.read(asked, from, now, round.draw(place)));
            }
          } else if (!NoAnswerException.from(problem).mayHaveBeenApplied()) {
            round.markNotSent(group);
          }
          return round;
        });
  }

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms term) {
    return parts.isEmpty()
        ? CompletableFuture.completedFuture(SettlementResult.DONE)
        : change(StateChange.SETTLE, reservation, parts, term);
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
    ReservedPart part = new ReservedPart(pool, key, amount, 0, new TakeReceipt(0, 0));
    return change(StateChange.REFUND, 0, List.of(part), NO_TERM).thenApply(done -> null);
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
    ScriptArguments packer = new ScriptArguments(wallNow()).octet(StateChange.END_LEASE.ordinal());
    packer.add(0);
    packer.add(0);
    return link.run(
            purpose,
            Script.SETTLE,
            new byte[][] {names.bucket(pool, key)},
            packer.endOf(lease, pool).bytes())
        .handle((answer, problem) -> null);
  }

  /** Changes every group that parts are in. */
  private CompletionStage<SettlementResult> change(
      StateChange what, long reservation, List<ReservedPart> parts, SettlementTerms term) {
    Map<Integer, List<ReservedPart>> groups = new LinkedHashMap<>();
    for (ReservedPart part : parts) {
      groups
          .computeIfAbsent(
              link.groupOf(names.bucket(part.pool(), part.key())), any -> new ArrayList<>())
          .add(part);
    }
    CompletionStage<SettlementResult> all =
        CompletableFuture.completedFuture(SettlementResult.ALREADY);
    for (List<ReservedPart> group : groups.values()) {
      all = all.thenCombine(changeGroup(what, reservation, group, term), SettlementResult::and);
    }
    return all;
  }

  private CompletionStage<SettlementResult> changeGroup(
      StateChange what, long reservation, List<ReservedPart> parts, SettlementTerms term) {
    long begun = time.micros();
    return runChange(what, reservation, parts, term)
        .thenCompose(
            answer -> {
              if (answer.length != Double.BYTES) {
                return CompletableFuture.completedFuture(answer);
              }
              updateClockOffset(
                  (long) ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN).getDouble());
              return inTime(begun, () -> runChange(what, reservation, parts, term));
            })
        .handle(
            (answer, problem) -> problem == null ? resultOf(answer) : SettlementResult.UNAVAILABLE);
  }

  private CompletionStage<byte[]> runChange(
      StateChange what, long reservation, List<ReservedPart> parts, SettlementTerms term) {
    ScriptArguments packer = new ScriptArguments(wallNow()).octet(what.ordinal());
    packer.add(term.within().toMillis());
    packer.add(term.marked().toMillis());
    List<byte[]> keys = new ArrayList<>();
    for (ReservedPart part : parts) {
      keys.add(names.bucket(part.pool(), part.key()));
      packer.part(part, reservation);
    }
    if (what == StateChange.SETTLE) {
      keys.addAll(names.markers(keys, reservation));
    }
    return link.run(purpose, Script.SETTLE, keys.toArray(byte[][]::new), packer.bytes());
  }

  private static SettlementResult resultOf(byte[] answer) {
    return answer.length == 1 && answer[0] == '1'
        ? SettlementResult.DONE
        : SettlementResult.ALREADY;
  }

  @Override
  public boolean isUnavailable(Pool pool, Key key) {
    return link.isUnavailable(names.bucket(pool, key));
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    List<Draw> looks = draws.stream().map(Draw::asLook).toList();
    return decide(0, looks).thenApply(DrawRound::descriptions);
  }

  /**
   * Completes once every node was reached and every script was answered wherever the keys live that
   * it is warmed up with, so that the first real call is not the slow one. Never completes if a
   * node is never reached; the way to the others is warm soon all the same. May fail once the store
   * is closed.
   */
  public CompletionStage<Void> ready() {
    CompletableFuture<Void> all = link.connected().toCompletableFuture();
    return link.anyConnected()
        .thenCompose(
            some -> all.copy().completeOnTimeout(null, OTHERS_MILLIS, TimeUnit.MILLISECONDS))
        .thenCompose(there -> all.isDone() ? all : warmUp().once().thenCompose(warm -> all))
        .thenCompose(reached -> warmUp().untilAnswered());
  }

  /** Of wherever keys live. */
  private WarmUp warmUp() {
    RedisStore cold = new RedisStore(link, names, time, timeoutMicros, CallPurpose.WARM_UP);
    return new WarmUp(cold, link.ruleOfEachNode(), time, () -> closed);
  }

  @Override
  public int instances() {
    return fleet.map(FleetMembership::instances).orElse(1);
  }

  @Override
  public void close() {
    fleet.ifPresent(FleetMembership::close);
    closed = true;
    link.close();
  }
}

package io.weir.testkit.lease;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.engine.Engine;
import io.weir.limit.LimitDivision;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.ShardedPool;
import io.weir.store.TakeResult;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/**
 * Instances of the real limiter around one lending store, in virtual time. They serve calls, crash,
 * start and stop, and all their admissions are recorded.
 *
 * <p>One rule with one limit per user is observed. A call that the store decided counts from the
 * time of that decision; a call answered from a lease counts from the time of the answer.
 */
public final class SimulatedFleet {
  /** The user of calls without a user. */
  public static final String USER = "somebody";

  /** The id of the observed rule. */
  public static final String RULE = "rule";

  /**
   * The store's time minus that of {@link VirtualTime#micros} in µs, unless the store's clock was
   * set.
   */
  public static final long STORE_IS_AHEAD = new VirtualTime().wallMicros();

  private final VirtualTime time = new VirtualTime();
  private final LendingStore store = new LendingStore(time::wallMicros);
  private final List<Member> members = new ArrayList<>();
  private final List<Rule> rules = new ArrayList<>();
  private final SplittableRandom random;
  private final SimulatedLink.Conditions conditions;
  private final Limit limit;
  private final int shards;
  private final AdmissionListener log;
  private final FleetStats stats = new FleetStats();
  private boolean clockFixed;

  /** One instance, its link to the store, and its time. */
  private record Member(Engine engine, SimulatedLink link, MemberTime time) {}

  /** Receives all admissions in order of time, except degraded decisions. */
  public interface AdmissionListener {
    void add(long amount, long micros);

    /**
     * An amount that the store took for a call and got back, because another rule refused the call.
     * A listener that ignores it counts the amount as admitted.
     */
    default void remove(long amount, long micros) {}
  }

  /** A fleet without members. */
  public SimulatedFleet(
      Limit limit,
      Accuracy accuracy,
      SimulatedLink.Conditions conditions,
      long seed,
      AdmissionListener log) {
    this(limit, 1, accuracy, conditions, seed, log);
  }

  /** A fleet without members, whose rule has this many shards. */
  public SimulatedFleet(
      Limit limit,
      int shards,
      Accuracy accuracy,
      SimulatedLink.Conditions conditions,
      long seed,
      AdmissionListener log) {
    this.limit = limit;
    this.shards = shards;
    this.conditions = conditions;
    this.random = new SplittableRandom(seed);
    this.log = log;
    rules.add(Rule.named(RULE).key("user").limit(limit).shards(shards).accuracy(accuracy).build());
  }

  /** Adds a rule that every call meets too and that is not observed. */
  public SimulatedFleet alongside(Rule other) {
    rules.add(other);
    return this;
  }

  public VirtualTime time() {
    return time;
  }

  public FleetStats stats() {
    return stats;
  }

  public int size() {
    return members.size();
  }

  /** Number of messages that the current members have sent. */
  public long storeCalls() {
    return members.stream().mapToLong(member -> member.link.calls()).sum();
  }

  // ---- events

  /** Adds an instance. */
  public void start() {
    MemberTime own = new MemberTime(time);
    SimulatedLink link =
        new SimulatedLink(store, own, random.nextLong(), conditions, new FleetLedger());
    Engine engine =
        Engine.builder().rules(ruleSet()).time(time).store(link).instances(members::size).build();
    members.add(new Member(engine, link, own));
  }

  private RuleSet ruleSet() {
    return RuleSet.of(rules.toArray(Rule[]::new));
  }

  /** Ends an instance without notice. */
  public void crash(int member) {
    Member gone = members.remove(member);
    gone.link.cut();
    gone.engine.close();
  }

  /** Stops an instance, which returns its leases. */
  public void stop(int member) {
    Engine gone = members.remove(member).engine;
    gone.giveBackAsync().thenRun(gone::close);
  }

  /** Stops everything in an instance for a while; calls to it meanwhile get no answer. */
  public void freeze(int member, Duration pause) {
    members.get(member).time.stop(pause);
  }

  /** Reloads the rules in all instances, so that all leases are returned. */
  public void reload() {
    members.forEach(member -> member.engine.replaceRules(ruleSet()));
  }

  /** Makes the store stop answering, or answer again. */
  public void hang(boolean hang) {
    members.forEach(member -> member.link.hang(hang));
  }

  /** Makes the store lose all state, as a failover to an empty replica does. */
  public void loseState() {
    store.lose();
  }

  /** Steps the store's clock; the instances' clocks are unchanged. */
  public void stepStoreClock(Duration by) {
    if (!clockFixed) {
      time.stepWall(by);
    }
  }

  /** From now on the store's clock must not be stepped. */
  public void keepStoreClock() {
    clockFixed = true;
  }

  // ---- calls

  public CompletionStage<Decision> call(int member) {
    return call(member, USER, 1);
  }

  /** Calls one instance; the result never completes if the instance is stopped. */
  public CompletionStage<Decision> call(int member, String user, long cost) {
    if (members.get(member).time.isStopped()) {
      return new CompletableFuture<>();
    }
    stats.onCall(cost);
    Call call = Call.of("GET", "/").with("user", user).cost(cost);
    return members
        .get(member)
        .engine
        .checkAsync(call)
        .thenApply(
            decision -> {
              stats.onDecision(decision, cost);
              if (decision.allowed() && fromLease(decision)) {
                log.add(cost, time.micros());
              }
              return decision;
            });
  }

  private static boolean fromLease(Decision decision) {
    for (LimitStatus status : decision.statuses()) {
      if (status.rule().equals(RULE)) {
        return status.source() == DecisionSource.LEASE;
      }
    }
    return false;
  }

  /** Records the amounts that the store takes and gets back. */
  private final class FleetLedger implements SimulatedLink.StoreObserver {
    @Override
    public void took(List<Draw> draws, TakeResult result) {
      for (Draw draw : draws) {
        if (result.taken() && !draw.isLook() && draw.pool().rule().equals(RULE)) {
          log.add(draw.amount(), time.micros());
        }
      }
    }

    @Override
    public void gotBack(List<ReservedPart> parts) {
      for (ReservedPart part : parts) {
        if (part.pool().rule().equals(RULE)) {
          stats.gotBack(part.amount() - part.actualAmount());
          log.remove(part.amount() - part.actualAmount(), time.micros());
        }
      }
    }
  }

  // ---- outstanding leases

  /** Tokens of the observed rule that live instances could hand out now. */
  public long inHand() {
    long sum = 0;
    for (Member member : members) {
      sum += member.engine.nearStore().orElseThrow().leased().getOrDefault(RULE, 0L);
    }
    return sum;
  }

  /** The remaining tokens of a user in the store. */
  public long remaining(String user) {
    Pool pool = new Pool(RULE, RULE, "1", limit, false);
    Draw look = new Draw(pool, Key.of(user), 0, Mode.SHADOW, Draw.Intent.LOOK);
    TakeResult seen = store.take(List.of(look)).toCompletableFuture().join();
    return seen.statuses().get(0).remaining();
  }

  /** Tokens of one user that the store counts as on lease. */
  public long out(String user) {
    Pool pool = new Pool(RULE, RULE, "1", limit, false);
    if (shards == 1) {
      return store.out(pool, Key.of(user));
    }
    ShardedPool split = pool.sharded(LimitDivision.of(limit, shards), part -> 0).shardedPool();
    return IntStream.range(0, shards)
        .mapToLong(number -> store.out(split.shard(number), Key.of(user)))
        .sum();
  }
}

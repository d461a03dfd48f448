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
 * Instances of the real limiter around one lending store, in virtual time: they are asked, crash,
 * come and go, and everything they admit is noted.
 *
 * <p>One rule with one limit by user is watched. A call that the store decided counts from the
 * moment it did, one answered from a lease from the moment it was handed out.
 */
public final class SimulatedFleet {
  /** The user of calls that name none. */
  public static final String USER = "somebody";

  /** The id of the rule that is watched. */
  public static final String RULE = "rule";

  /**
   * The store's time minus that of {@link VirtualTime#micros}, as long as nobody sets it, in µs.
   */
  public static final long STORE_IS_AHEAD = new VirtualTime().wallMicros();

  private final VirtualTime time = new VirtualTime();
  private final LendingStore store = new LendingStore(time::wallMicros);
  private final List<Member> members = new ArrayList<>();
  private final List<Rule> rules = new ArrayList<>();
  private final SplittableRandom random;
  private final SimulatedLink.Conditions weather;
  private final Limit limit;
  private final int shards;
  private final AdmissionListener log;
  private final FleetStats tally = new FleetStats();
  private boolean clockKept;

  /** One instance, its way to the store, and its time. */
  private record Member(Engine engine, SimulatedLink link, MemberTime time) {}

  /** Who hears of everything admitted, in order of time, but for degraded decisions. */
  public interface AdmissionListener {
    void add(long amount, long micros);

    /**
     * What the store had taken for a call, and has back, as the call was refused by another rule.
     * Who does not listen counts it as admitted.
     */
    default void remove(long amount, long micros) {}
  }

  /** A fleet without members. */
  public SimulatedFleet(
      Limit limit,
      Accuracy accuracy,
      SimulatedLink.Conditions weather,
      long seed,
      AdmissionListener log) {
    this(limit, 1, accuracy, weather, seed, log);
  }

  /** A fleet without members, whose rule has so many shards. */
  public SimulatedFleet(
      Limit limit,
      int shards,
      Accuracy accuracy,
      SimulatedLink.Conditions weather,
      long seed,
      AdmissionListener log) {
    this.limit = limit;
    this.shards = shards;
    this.weather = weather;
    this.random = new SplittableRandom(seed);
    this.log = log;
    rules.add(Rule.named(RULE).key("user").limit(limit).shards(shards).accuracy(accuracy).build());
  }

  /** Has every call meet another rule too, which is not watched. */
  public SimulatedFleet alongside(Rule other) {
    rules.add(other);
    return this;
  }

  public VirtualTime time() {
    return time;
  }

  public FleetStats tally() {
    return tally;
  }

  public int size() {
    return members.size();
  }

  /** Messages that the present members have sent. */
  public long storeCalls() {
    return members.stream().mapToLong(member -> member.link.calls()).sum();
  }

  // ---- what can happen

  /** Adds an instance. */
  public void start() {
    MemberTime own = new MemberTime(time);
    SimulatedLink link =
        new SimulatedLink(store, own, random.nextLong(), weather, new FleetLedger());
    Engine engine =
        Engine.builder().rules(ruleSet()).time(time).store(link).instances(members::size).build();
    members.add(new Member(engine, link, own));
  }

  private RuleSet ruleSet() {
    return RuleSet.of(rules.toArray(Rule[]::new));
  }

  /** Ends an instance without a word. */
  public void crash(int member) {
    Member gone = members.remove(member);
    gone.link.cut();
    gone.engine.close();
  }

  /** Ends an instance that gives back what it has. */
  public void stop(int member) {
    Engine gone = members.remove(member).engine;
    gone.giveBack().thenRun(gone::close);
  }

  /** Stops everything in an instance for a while; calls to it meanwhile do not arrive. */
  public void freeze(int member, Duration pause) {
    members.get(member).time.stop(pause);
  }

  /** Loads the rules anew everywhere, so that all leases go back. */
  public void reload() {
    members.forEach(member -> member.engine.replaceRules(ruleSet()));
  }

  /** Lets the store be silent, or speak again. */
  public void hang(boolean hang) {
    members.forEach(member -> member.link.hang(hang));
  }

  /** Lets the store lose everything, as a failover to an empty replica does. */
  public void loseState() {
    store.lose();
  }

  /** Sets the store's clock, which is none of the instances'. */
  public void stepStoreClock(Duration by) {
    if (!clockKept) {
      time.stepWall(by);
    }
  }

  /** From now on the store's clock is not to be set. */
  public void keepStoreClock() {
    clockKept = true;
  }

  // ---- calls

  public CompletionStage<Decision> call(int member) {
    return call(member, USER, 1);
  }

  /** Asks one instance; never answered if it is stopped. */
  public CompletionStage<Decision> call(int member, String user, long cost) {
    if (members.get(member).time.isStopped()) {
      return new CompletableFuture<>();
    }
    tally.asked(cost);
    Call call = Call.of("GET", "/").with("user", user).cost(cost);
    return members
        .get(member)
        .engine
        .checkAsync(call)
        .thenApply(
            decision -> {
              tally.answered(decision, cost);
              if (decision.allowed() && fromLease(decision)) {
                log.add(cost, time.micros());
              }
              return decision;
            });
  }

  private static boolean fromLease(Decision decision) {
    for (LimitStatus standing : decision.statuses()) {
      if (standing.rule().equals(RULE)) {
        return standing.source() == DecisionSource.LEASE;
      }
    }
    return false;
  }

  /** Writes down what the store takes and gets back. */
  private final class FleetLedger implements SimulatedLink.StoreObserver {
    @Override
    public void took(List<Draw> draws, TakeResult taking) {
      for (Draw draw : draws) {
        if (taking.taken() && !draw.isLook() && draw.pool().rule().equals(RULE)) {
          log.add(draw.amount(), time.micros());
        }
      }
    }

    @Override
    public void gotBack(List<ReservedPart> parts) {
      for (ReservedPart part : parts) {
        if (part.pool().rule().equals(RULE)) {
          tally.gotBack(part.amount() - part.actualAmount());
          log.remove(part.amount() - part.actualAmount(), time.micros());
        }
      }
    }
  }

  // ---- what is out

  /** Tokens under the watched rule that live instances could hand out now. */
  public long inHand() {
    long sum = 0;
    for (Member member : members) {
      sum += member.engine.nearStore().orElseThrow().leased().getOrDefault(RULE, 0L);
    }
    return sum;
  }

  /** What a user could still take, as the store sees it. */
  public long remaining(String user) {
    Pool pool = new Pool(RULE, RULE, "1", limit, false);
    Draw look = new Draw(pool, Key.of(user), 0, Mode.SHADOW, Draw.Intent.LOOK);
    TakeResult seen = store.take(List.of(look)).toCompletableFuture().join();
    return seen.statuses().get(0).remaining();
  }

  /** Tokens of one user that the store counts as out. */
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

package io.weir.control.rollout.judge;

import io.weir.control.rollout.evidence.EvidenceWindow;
import io.weir.control.rollout.evidence.KeyCounts;
import io.weir.control.rollout.evidence.PeakShares;
import io.weir.control.rollout.evidence.RuleEvidence;
import io.weir.control.rollout.evidence.RuleTotals;
import io.weir.control.rollout.plan.RolloutPlan;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A rollout of one changed rule in virtual time: users who call three instances, both versions with
 * the arithmetic of {@code core}, evidence through its codec, and the judge every 5 s.
 *
 * <p>Users call at random times. Their rates differ widely (log-normal, median 12 a minute, one in
 * 25 above 60); one in ten calls in bursts of 10 s. The version in force runs alone for 3 minutes;
 * then the other one starts from its buckets.
 */
final class RolloutModel {
  static final String RULE = "api";
  private static final int USERS = 500;
  private static final int INSTANCES = 3;
  private static final double MEDIAN_PER_MINUTE = 12;
  private static final double SPREAD = 0.9;
  private static final int BURSTY = 10;
  private static final Duration WARM_UP = Duration.ofMinutes(3);
  private static final long SECOND = 1_000_000;

  /**
   * What became of a rollout: when it was rolled back, when it refused a call first that the old
   * version admitted (within 5 s), and the largest share of newly refused keys.
   */
  record Outcome(
      Optional<Duration> rolledBackAfter, Optional<Duration> firstRefusal, double largestShare) {}

  private final VirtualTime time = new VirtualTime();
  private final Random random;
  private final double[] perSecond = new double[USERS];
  private final double[] nextCall = new double[USERS];
  private final int[][][] slots = new int[INSTANCES][USERS][3];
  private final RuleSide inForce;
  private final RuleSide other;
  private final boolean copies;
  private boolean both;
  private Optional<PeakShares> recording = Optional.empty();

  /**
   * @param users the seed of the users and their rates
   * @param day the seed of their calls
   * @param copies whether the new version starts from the buckets of the old one; false for a rule
   *     with a new id
   */
  RolloutModel(long users, long day, RuleSide.Version old, RuleSide.Version fresh, boolean copies) {
    this.random = new Random(~day);
    this.inForce = new RuleSide(old, USERS);
    this.other = new RuleSide(fresh, USERS);
    this.copies = copies;
    Random rates = new Random(users);
    for (int user = 0; user < USERS; user++) {
      perSecond[user] = MEDIAN_PER_MINUTE / 60 * Math.exp(SPREAD * rates.nextGaussian());
      nextCall[user] = gap(user);
    }
  }

  /** One in {@code n} users, the same ones in every run. */
  static boolean isOneIn(int n, int user) {
    return user % n == 3;
  }

  /** Makes some users heavy: they call this often, whatever the others do. */
  RolloutModel withHeavyUsers(int oneIn, double perMinute) {
    for (int user = 0; user < USERS; user++) {
      if (isOneIn(oneIn, user)) {
        perSecond[user] = perMinute / 60 * (0.9 + 0.2 * random.nextDouble());
        nextCall[user] = gap(user);
      }
    }
    return this;
  }

  private double gap(int user) {
    return -Math.log(1 - random.nextDouble()) / perSecond[user];
  }

  private void runSecond() {
    double end = time.micros() / (double) SECOND + 1;
    for (int user = 0; user < USERS; user++) {
      time.advanceMicros(SECOND / USERS);
      while (nextCall[user] < end) {
        call(user);
        nextCall[user] += gap(user);
        double phase = nextCall[user] % 60;
        if (user % BURSTY == 0 && phase > 10) {
          nextCall[user] += 60 - phase; // waits for the next minute, then calls again
        }
      }
    }
  }

  private void call(int user) {
    long now = time.micros();
    boolean old = inForce.admits(user, now);
    if (!both) {
      return;
    }
    boolean fresh = other.admits(user, now);
    if (recording.isPresent()) {
      recording.get().add(now, RULE, hash(user), !old, !fresh);
    }
    int[] counts = slots[random.nextInt(INSTANCES)][user];
    counts[0]++;
    counts[1] += old ? 0 : 1;
    counts[2] += fresh ? 0 : 1;
  }

  private void run(Duration duration) {
    for (long i = 0; i < duration.toSeconds(); i++) {
      runSecond();
    }
  }

  private void startBoth() {
    run(WARM_UP);
    if (copies) {
      other.copy(inForce);
    }
    both = true;
  }

  /** Replays traffic against both versions, as a what-if does, and predicts. */
  Prediction predict(Duration span) {
    startBoth();
    recording = Optional.of(new PeakShares());
    run(span);
    List<RuleEvidence> whole = new ArrayList<>();
    for (int[][] instance : slots) {
      List<KeyCounts> keys = new ArrayList<>();
      for (int user = 0; user < USERS; user++) {
        keys.add(new KeyCounts(user, instance[user][0], instance[user][1], instance[user][2]));
      }
      whole.add(new RuleEvidence(0, false, 1, RuleEvidence.ALL_KEYS, List.of(), keys));
    }
    RuleTotals totals = RuleTotals.sum(RULE, 0, whole);
    return new Prediction(
        totals.keys().size(), totals.newlyRefusedKeys(), recording.get().shares());
  }

  /** Rolls the new version out until it is done or rolled back. */
  Outcome rollOut(RolloutPlan plan, Expectation expectation) {
    startBoth();
    List<EvidenceWindow> windows = new ArrayList<>();
    for (int i = 0; i < INSTANCES; i++) {
      windows.add(new EvidenceWindow());
    }
    int step = 0;
    Duration inStep = Duration.ZERO;
    Duration total = Duration.ZERO;
    double largest = 0;
    Optional<Duration> firstRefusal = Optional.empty();
    while (true) {
      run(EvidenceWindow.SLOT);
      inStep = inStep.plus(EvidenceWindow.SLOT);
      total = total.plus(EvidenceWindow.SLOT);
      RuleTotals totals = collect(windows, step);
      if (firstRefusal.isEmpty() && totals.newlyRefusedKeys() > 0) {
        firstRefusal = Optional.of(total.minus(EvidenceWindow.SLOT));
      }
      largest = Math.max(largest, (double) totals.newlyRefusedKeys() / totals.keys().size());
      Verdict verdict =
          Judge.judge(
              new Situation(plan, step, inStep, expectation, List.of(totals), 1, List.of()));
      if (verdict instanceof Verdict.RollBack) {
        return new Outcome(Optional.of(total), firstRefusal, largest);
      }
      if (verdict instanceof Verdict.Held held) {
        throw new AssertionError(held.text());
      }
      if (verdict instanceof Verdict.Advance) {
        if (plan.isLast(step)) {
          return new Outcome(Optional.empty(), firstRefusal, largest);
        }
        step++;
        inStep = Duration.ZERO;
      }
    }
  }

  private RuleTotals collect(List<EvidenceWindow> windows, int step) {
    List<RuleEvidence> sent = new ArrayList<>();
    for (int i = 0; i < INSTANCES; i++) {
      EvidenceWindow window = windows.get(i);
      window.enter(step);
      for (int user = 0; user < USERS; user++) {
        int[] counts = slots[i][user];
        window.add(hash(user), counts[0], counts[1], counts[2]);
        slots[i][user] = new int[3];
      }
      sent.add(RuleEvidence.decode(window.evidence(false, 1).encode()));
      window.endSlot();
    }
    return RuleTotals.sum(RULE, step, sent);
  }

  private static long hash(int user) {
    return (user + 1) * 0x9e3779b97f4a7c15L;
  }
}

package io.weir.control.rollout.judge;

import io.weir.Limit;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;

/** One version of a rule in the model: the arithmetic of {@code core}, a bucket per key. */
final class RuleSide {
  /** What a version says of a user: the limit that holds, and the bucket that is drawn from. */
  record Version(String text, IntFunction<Limit> limit, IntUnaryOperator bucket) {
    static Version perUser(String limit) {
      Limit parsed = Limit.parse(limit);
      return new Version(limit, user -> parsed, user -> user);
    }
  }

  private final Meter[] meters;
  private final int[] buckets;
  private final LimitState[] states;
  private final LimitState before = new LimitState();

  RuleSide(Version version, int users) {
    meters = new Meter[users];
    buckets = new int[users];
    states = new LimitState[users];
    for (int user = 0; user < users; user++) {
      meters[user] = Meter.of(version.limit().apply(user));
      buckets[user] = version.bucket().applyAsInt(user);
      states[user] = new LimitState();
    }
  }

  /** Starts from the buckets of another version, as a rollout does. */
  void copy(RuleSide other) {
    for (int i = 0; i < states.length; i++) {
      states[i].set(other.states[i]);
      states[i].detach();
    }
  }

  /** Decides a call; an admitted one is charged. */
  boolean admits(int user, long now) {
    LimitState state = states[buckets[user]];
    Meter meter = meters[user];
    before.set(state);
    meter.open(state, now, buckets[user]);
    boolean admitted = meter.admits(state, now, 1);
    if (admitted) {
      meter.take(state, now, 1, 0);
    } else {
      meter.leave(state, before, now);
    }
    return admitted;
  }
}

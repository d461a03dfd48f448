package io.weir.testkit.trace;

import io.weir.Algorithm;
import io.weir.Limit;
import io.weir.testkit.reference.ObservedAnswer;
import io.weir.testkit.reference.Reference;
import io.weir.testkit.reference.ReferenceReceipt;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/** The reference as a subject, on the clock of another subject. */
final class ReferenceSubject {
  private final Reference state;
  private final boolean countDenied;
  private final ToLongFunction<Limit> clock;
  private final Map<Long, ReferenceTake> taken = new HashMap<>();

  private record ReferenceTake(long cost, ReferenceReceipt receipt) {}

  ReferenceSubject(Trace trace, long keyHash, ToLongFunction<Limit> clock) {
    this.state = Reference.of(trace.limit(), keyHash);
    this.countDenied = trace.countDenied();
    this.clock = clock;
  }

  /** A cost of 0 is a look; a refusal is reported as it stands after it was counted. */
  ObservedAnswer take(Limit limit, long cost, long id) {
    if (cost == 0) {
      return look(limit, 0);
    }
    state.open(limit, clock.applyAsLong(limit));
    if (!state.admits(cost)) {
      if (countDenied) {
        state.countDenied(cost);
      }
      return state.seen(cost);
    }
    long delay = state.delay();
    state.take(cost, id);
    taken.put(id, new ReferenceTake(cost, state.receipt()));
    return new ObservedAnswer(true, state.remaining(), state.reset(), 0, delay);
  }

  ObservedAnswer look(Limit limit, long cost) {
    Reference copy = state.copy();
    copy.open(limit, clock.applyAsLong(limit));
    return copy.seen(cost);
  }

  void settle(Limit limit, long id, long owed) {
    ReferenceTake take = taken.get(id);
    state.open(limit, clock.applyAsLong(limit));
    if (owed < take.cost()) {
      state.giveBack(take.cost() - owed, take.receipt());
    } else {
      state.charge(owed - take.cost());
    }
  }

  void refund(Limit limit, long amount) {
    state.open(limit, clock.applyAsLong(limit));
    state.refund(amount);
  }

  /** Stores the present state. */
  void touch(Limit limit) {
    refund(limit, 0);
  }

  /** A call that takes nothing. */
  void glance(Limit limit) {
    state.open(limit, clock.applyAsLong(limit));
  }

  boolean release(Limit limit, long id) {
    if (limit.algorithm() != Algorithm.CONCURRENCY) {
      return false;
    }
    state.open(limit, clock.applyAsLong(limit));
    return state.release(id);
  }

  boolean renew(Limit limit, long id) {
    if (limit.algorithm() != Algorithm.CONCURRENCY) {
      return false;
    }
    state.open(limit, clock.applyAsLong(limit));
    return state.renew(id);
  }

  @Override
  public String toString() {
    return state.toString();
  }
}

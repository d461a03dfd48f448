package io.weir.testkit;

import io.weir.Limit;
import io.weir.limit.LimitState;
import io.weir.limit.Meter;
import io.weir.limit.PermitMeter;
import io.weir.limit.TakeReceipt;
import io.weir.testkit.reference.ObservedAnswer;
import io.weir.testkit.trace.Trace;
import io.weir.testkit.trace.TraceSubject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A meter and its state as the subject of a trace.
 *
 * <p>A look opens a state, which may write to it. So that nothing changes, a look replays the
 * history into a separate state.
 */
final class MeterSubject implements TraceSubject {
  private final Trace trace;
  private final LimitState state = new LimitState();
  private final List<Consumer<LimitState>> history = new ArrayList<>();
  private final Map<Long, MeterTake> taken = new HashMap<>();
  private long now;

  private record MeterTake(long cost, TakeReceipt receipt) {}

  MeterSubject(Trace trace) {
    this.trace = trace;
    this.now = trace.start();
  }

  @Override
  public long keyHash() {
    return trace.keyHash();
  }

  @Override
  public long now(Limit limit) {
    return now;
  }

  @Override
  public void move(long micros) {
    now += micros;
  }

  @Override
  public ObservedAnswer take(Limit limit, long cost, long id) {
    if (cost == 0) {
      return look(limit, 0);
    }
    LimitState before = new LimitState();
    before.set(state);
    Meter meter = open(limit);
    long at = now;
    if (!meter.admits(state, at, cost)) {
      if (trace.countDenied()) {
        change(c -> meter.countDenied(c, at, cost));
      }
      ObservedAnswer seen = seen(meter, state, cost);
      if (!trace.countDenied() || !meter.writes()) {
        change(c -> meter.leave(c, before, at));
      }
      return seen;
    }
    long delay = meter.delay(state);
    change(c -> meter.take(c, at, cost, id));
    taken.put(id, new MeterTake(cost, TakeReceipt.of(state)));
    return new ObservedAnswer(true, meter.remaining(state, at), meter.reset(state, at), 0, delay);
  }

  @Override
  public ObservedAnswer look(Limit limit, long cost) {
    LimitState copy = new LimitState();
    history.forEach(step -> step.accept(copy));
    Meter meter = Meter.of(limit);
    meter.open(copy, now, trace.keyHash());
    return seen(meter, copy, cost);
  }

  @Override
  public void settle(Limit limit, long id, long owed) {
    LimitState before = new LimitState();
    before.set(state);
    Meter meter = open(limit);
    MeterTake take = taken.get(id);
    long at = now;
    if (!meter.writes()) {
      change(c -> meter.leave(c, before, at));
    } else if (owed < take.cost()) {
      change(c -> meter.giveBack(c, at, take.cost() - owed, take.receipt()));
    } else {
      change(c -> meter.charge(c, at, owed - take.cost()));
    }
  }

  @Override
  public void refund(Limit limit, long amount) {
    LimitState before = new LimitState();
    before.set(state);
    Meter meter = open(limit);
    long at = now;
    change(c -> meter.refund(c, at, amount));
    if (!meter.writes()) {
      change(c -> meter.leave(c, before, at));
    }
  }

  @Override
  public boolean release(Limit limit, long id) {
    if (!(Meter.of(limit) instanceof PermitMeter permits)) {
      return false;
    }
    open(limit);
    history.add(c -> permits.release(c, id));
    return permits.release(state, id);
  }

  @Override
  public boolean renew(Limit limit, long id) {
    if (!(Meter.of(limit) instanceof PermitMeter permits)) {
      return false;
    }
    open(limit);
    long at = now;
    history.add(c -> permits.renew(c, at, id));
    return permits.renew(state, at, id);
  }

  /** Time from which on the key has no usage; to be called right after another operation. */
  long idleAt(Limit limit) {
    return Meter.of(limit).idleAt(state);
  }

  /** Stores the present time and the numbers in force. */
  Meter open(Limit limit) {
    Meter meter = Meter.of(limit);
    long at = now;
    change(c -> meter.open(c, at, trace.keyHash()));
    return meter;
  }

  private void change(Consumer<LimitState> step) {
    step.accept(state);
    history.add(step);
  }

  private ObservedAnswer seen(Meter meter, LimitState of, long cost) {
    boolean allowed = meter.admits(of, now, cost);
    return new ObservedAnswer(
        allowed,
        meter.remaining(of, now),
        meter.reset(of, now),
        allowed ? 0 : meter.retryAfter(of, now, cost),
        allowed ? meter.delay(of) : 0);
  }
}

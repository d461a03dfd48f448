package io.weir.testkit;

import io.weir.Limit;
import io.weir.limit.Cell;
import io.weir.limit.Meter;
import io.weir.limit.PermitMeter;
import io.weir.limit.Stamp;
import io.weir.testkit.reference.Seen;
import io.weir.testkit.trace.Subject;
import io.weir.testkit.trace.Trace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A meter and its cell as the subject of a trace.
 *
 * <p>Looking opens a cell, which may write to it; so that nothing changes, a look replays the
 * history into a cell of its own.
 */
final class MeterSubject implements Subject {
  private final Trace trace;
  private final Cell cell = new Cell();
  private final List<Consumer<Cell>> history = new ArrayList<>();
  private final Map<Long, Taken> taken = new HashMap<>();
  private long now;

  private record Taken(long cost, Stamp stamp) {}

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
  public Seen take(Limit limit, long cost, long id) {
    if (cost == 0) {
      return look(limit, 0);
    }
    Cell before = new Cell();
    before.set(cell);
    Meter meter = open(limit);
    long at = now;
    if (!meter.admits(cell, at, cost)) {
      if (trace.countDenied()) {
        change(c -> meter.countDenied(c, at, cost));
      }
      Seen seen = seen(meter, cell, cost);
      if (!trace.countDenied() || !meter.writes()) {
        change(c -> meter.leave(c, before, at));
      }
      return seen;
    }
    long delay = meter.delay(cell);
    change(c -> meter.take(c, at, cost, id));
    taken.put(id, new Taken(cost, Stamp.of(cell)));
    return new Seen(true, meter.remaining(cell, at), meter.reset(cell, at), 0, delay);
  }

  @Override
  public Seen look(Limit limit, long cost) {
    Cell copy = new Cell();
    history.forEach(step -> step.accept(copy));
    Meter meter = Meter.of(limit);
    meter.open(copy, now, trace.keyHash());
    return seen(meter, copy, cost);
  }

  @Override
  public void settle(Limit limit, long id, long owed) {
    Cell before = new Cell();
    before.set(cell);
    Meter meter = open(limit);
    Taken take = taken.get(id);
    long at = now;
    if (!meter.writes()) {
      change(c -> meter.leave(c, before, at));
    } else if (owed < take.cost()) {
      change(c -> meter.giveBack(c, at, take.cost() - owed, take.stamp()));
    } else {
      change(c -> meter.charge(c, at, owed - take.cost()));
    }
  }

  @Override
  public void refund(Limit limit, long amount) {
    Cell before = new Cell();
    before.set(cell);
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
    return permits.release(cell, id);
  }

  @Override
  public boolean renew(Limit limit, long id) {
    if (!(Meter.of(limit) instanceof PermitMeter permits)) {
      return false;
    }
    open(limit);
    long at = now;
    history.add(c -> permits.renew(c, at, id));
    return permits.renew(cell, at, id);
  }

  /** From when on the key is worth nothing; to be asked right after another question. */
  long idleAt(Limit limit) {
    return Meter.of(limit).idleAt(cell);
  }

  /** Writes the present down: the time, and the numbers that hold. */
  Meter open(Limit limit) {
    Meter meter = Meter.of(limit);
    long at = now;
    change(c -> meter.open(c, at, trace.keyHash()));
    return meter;
  }

  private void change(Consumer<Cell> step) {
    step.accept(cell);
    history.add(step);
  }

  private Seen seen(Meter meter, Cell of, long cost) {
    boolean allowed = meter.admits(of, now, cost);
    return new Seen(
        allowed,
        meter.remaining(of, now),
        meter.reset(of, now),
        allowed ? 0 : meter.retryAfter(of, now, cost),
        allowed ? meter.delay(of) : 0);
  }
}

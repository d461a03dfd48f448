package io.weir.testkit.contract;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.Settlement;
import io.weir.Standing;
import io.weir.limit.Bounds;
import io.weir.limit.Meter;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Held;
import io.weir.store.KeyText;
import io.weir.store.Pool;
import io.weir.store.Taking;
import io.weir.testkit.reference.Seen;
import io.weir.testkit.trace.Subject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One key of a store as the subject of a trace. */
public final class StoreSubject implements Subject {
  private static final String RULE = "rule";

  /** The key that the trace is about. */
  public static final Key KEY = Key.of("user", "somebody");

  private final StoreHarness harness;
  private final Clock clock;
  private final boolean countDenied;
  private final Map<Long, Taken> taken = new HashMap<>();

  private record Taken(long cost, Stamp stamp) {}

  public StoreSubject(StoreHarness harness, boolean countDenied) {
    this.harness = harness;
    this.clock = new Clock(harness);
    this.countDenied = countDenied;
  }

  @Override
  public long keyHash() {
    return KeyText.hash(RULE, KEY.parts());
  }

  @Override
  public long now(Limit limit) {
    return harness.now(limit);
  }

  @Override
  public void move(long micros) {
    clock.move(micros);
  }

  @Override
  public Seen take(Limit limit, long cost, long id) {
    Draw draw = new Draw(pool(limit), KEY, cost, Mode.ENFORCE, Intent.HOLD);
    Taking taking = Calls.get(harness.store().reserve(id, List.of(draw)));
    if (taking.taken()) {
      taken.put(id, new Taken(cost, taking.stamps().get(0)));
    }
    return seen(taking.standings().get(0));
  }

  @Override
  public Seen look(Limit limit, long cost) {
    Draw draw = new Draw(pool(limit), KEY, cost, Mode.ENFORCE, Intent.LOOK);
    return seen(Calls.get(harness.store().take(List.of(draw))).standings().get(0));
  }

  @Override
  public void settle(Limit limit, long id, long owed) {
    Calls.get(harness.store().settle(id, held(limit, id, owed), Calls.EVER));
  }

  @Override
  public void refund(Limit limit, long amount) {
    Calls.get(harness.store().refund(pool(limit), KEY, amount));
  }

  @Override
  public boolean touch(Limit limit) {
    refund(limit, 0);
    return true;
  }

  @Override
  public boolean glance(Limit limit) {
    Calls.get(harness.store().take(List.of(glancing(pool(limit), KEY))));
    return true;
  }

  /** A draw that opens its bucket and does no more: it can never be admitted, nor refuse. */
  static Draw glancing(Pool pool, Key key) {
    return new Draw(pool, key, pool.meter().capacity() + 1, Mode.SHADOW, Intent.TAKE);
  }

  @Override
  public boolean release(Limit limit, long id) {
    return Calls.get(harness.store().release(id, held(limit, id, 0))) == Settlement.DONE;
  }

  @Override
  public boolean renew(Limit limit, long id) {
    return Calls.get(harness.store().renew(id, held(limit, id, 0))) == Settlement.DONE;
  }

  private List<Held> held(Limit limit, long id, long owed) {
    Taken take = taken.get(id);
    return List.of(new Held(pool(limit), KEY, take.cost(), owed, take.stamp()));
  }

  /** The pool that holds the key while the limit has these numbers. */
  public Pool pool(Limit limit) {
    return new Pool(RULE, RULE, "1", limit, countDenied);
  }

  static Seen seen(Standing standing) {
    return new Seen(
        standing.allowed(),
        standing.remaining(),
        Bounds.micros(standing.reset()),
        standing.retryAfter().map(Bounds::micros).orElse(Meter.NEVER),
        Bounds.micros(standing.delay()));
  }
}

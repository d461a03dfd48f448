package io.weir.testkit.contract;

import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.base.KeyEncoding;
import io.weir.base.Micros;
import io.weir.limit.Meter;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import io.weir.testkit.reference.ObservedAnswer;
import io.weir.testkit.trace.TraceSubject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One key of a store as the subject of a trace. */
public final class StoreSubject implements TraceSubject {
  private static final String RULE = "rule";

  /** The key that the trace is about. */
  public static final Key KEY = Key.of("user", "somebody");

  private final StoreHarness harness;
  private final HarnessClock clock;
  private final boolean countDenied;
  private final Map<Long, StoreTake> taken = new HashMap<>();

  private record StoreTake(long cost, TakeReceipt receipt) {}

  public StoreSubject(StoreHarness harness, boolean countDenied) {
    this.harness = harness;
    this.clock = new HarnessClock(harness);
    this.countDenied = countDenied;
  }

  @Override
  public long keyHash() {
    return KeyEncoding.hash(RULE, KEY.parts());
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
  public ObservedAnswer take(Limit limit, long cost, long id) {
    Draw draw = new Draw(pool(limit), KEY, cost, Mode.ENFORCE, Intent.HOLD);
    TakeResult result = ContractCalls.get(harness.store().reserve(id, List.of(draw)));
    if (result.taken()) {
      taken.put(id, new StoreTake(cost, result.receipts().get(0)));
    }
    return seen(result.statuses().get(0));
  }

  @Override
  public ObservedAnswer look(Limit limit, long cost) {
    Draw draw = new Draw(pool(limit), KEY, cost, Mode.ENFORCE, Intent.LOOK);
    return seen(ContractCalls.get(harness.store().take(List.of(draw))).statuses().get(0));
  }

  @Override
  public void settle(Limit limit, long id, long owed) {
    ContractCalls.get(harness.store().settle(id, held(limit, id, owed), ContractCalls.EVER));
  }

  @Override
  public void refund(Limit limit, long amount) {
    ContractCalls.get(harness.store().refund(pool(limit), KEY, amount));
  }

  @Override
  public boolean touch(Limit limit) {
    refund(limit, 0);
    return true;
  }

  @Override
  public boolean glance(Limit limit) {
    ContractCalls.get(harness.store().take(List.of(glancing(pool(limit), KEY))));
    return true;
  }

  /**
   * A draw that opens its bucket and has no other effect: it is never admitted, and never refuses.
   */
  static Draw glancing(Pool pool, Key key) {
    return new Draw(pool, key, pool.meter().capacity() + 1, Mode.SHADOW, Intent.TAKE);
  }

  @Override
  public boolean release(Limit limit, long id) {
    return ContractCalls.get(harness.store().release(id, held(limit, id, 0)))
        == SettlementResult.DONE;
  }

  @Override
  public boolean renew(Limit limit, long id) {
    return ContractCalls.get(harness.store().renew(id, held(limit, id, 0)))
        == SettlementResult.DONE;
  }

  private List<ReservedPart> held(Limit limit, long id, long owed) {
    StoreTake take = taken.get(id);
    return List.of(new ReservedPart(pool(limit), KEY, take.cost(), owed, take.receipt()));
  }

  /** The pool of the key while the limit has these numbers. */
  public Pool pool(Limit limit) {
    return new Pool(RULE, RULE, "1", limit, countDenied);
  }

  static ObservedAnswer seen(LimitStatus status) {
    return new ObservedAnswer(
        status.allowed(),
        status.remaining(),
        Micros.of(status.reset()),
        status.retryAfter().map(Micros::of).orElse(Meter.NEVER),
        Micros.of(status.delay()));
  }
}

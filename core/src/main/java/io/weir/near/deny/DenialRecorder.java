package io.weir.near.deny;

import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.SettlementResult;
import io.weir.observe.HotKeySketch;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The last step before the shared store: notes what it refuses, with the moment the call was sent,
 * for {@link DenyCache} to repeat, and which calls it answered, for {@link HotKeySketch}. A refusal
 * that is repeated for longer than the store said is told as such. Whatever comes back to a bucket
 * through here makes its refusals forgotten.
 */
public final class DenialRecorder extends ForwardingStore {
  private final DenialTable denials;
  private final HotKeySketch hotKeys;
  private final TimeSource time;

  public DenialRecorder(DenialTable denials, HotKeySketch hotKeys, TimeSource time, Store next) {
    super(next);
    this.denials = denials;
    this.hotKeys = hotKeys;
    this.time = time;
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    long sent = time.micros();
    return super.take(draws).thenApply(taking -> recorded(draws, taking, sent));
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    long sent = time.micros();
    return super.reserve(reservation, draws).thenApply(taking -> recorded(draws, taking, sent));
  }

  private TakeResult recorded(List<Draw> draws, TakeResult taking, long sent) {
    hotKeys.noteAnswered(draws, taking.statuses());
    return taking.taken() ? taking : refused(draws, taking, sent);
  }

  /** Whoever waits as long as told is asked again, and not refused from memory. */
  private TakeResult refused(List<Draw> draws, TakeResult taking, long sent) {
    boolean repeated = !Draw.anyCountsRefusals(draws);
    long now = time.micros();
    List<LimitStatus> told = new ArrayList<>(taking.statuses());
    for (int i = 0; i < told.size(); i++) {
      LimitStatus standing = told.get(i);
      long holds = denials.record(draws.get(i), standing, sent) - now;
      if (repeated && holds > Math.max(0, standing.retryAfterMicros())) {
        told.set(i, standing.edit().retryAfter(holds).build());
      }
    }
    recordGivenBack(draws, taking.statuses());
    return new TakeResult(false, told, taking.receipts(), taking.grants(), taking.drawIndexes());
  }

  /**
   * What one node took for a call that another refused is on its way back, before nearly any call
   * that follows: only one that shares a call with somebody who waited before may get there first.
   */
  private void recordGivenBack(List<Draw> draws, List<LimitStatus> standings) {
    for (int i = 0; standings.size() > 1 && i < standings.size(); i++) {
      LimitStatus standing = standings.get(i);
      if (standing.answered() && standing.allowed() && !draws.get(i).isLook()) {
        onReturned(draws.get(i).pool(), draws.get(i).key());
      }
    }
  }

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms term) {
    return super.settle(reservation, parts, term)
        .thenApply(
            settled -> {
              parts.forEach(part -> onReturned(part.pool(), part.key()));
              return settled;
            });
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return super.refund(pool, key, amount).thenRun(() -> onReturned(pool, key));
  }

  /** Beside leases, what was owed and is not any more comes back like this. */
  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
    return super.endLease(pool, key, lease).thenRun(() -> onReturned(pool, key));
  }

  private void onReturned(Pool pool, Key key) {
    denials.onReturned(pool, key, time.micros());
  }
}

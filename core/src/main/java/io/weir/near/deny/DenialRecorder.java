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
 * The last step before the shared store. Records its refusals, with the time at which the request
 * was sent, for {@link DenyCache}, and its answers for {@link HotKeySketch}. If a refusal is cached
 * for longer than the store's retry-after, the returned retry-after is raised to match. Any refund
 * to a bucket that passes through here clears the bucket's cached refusals.
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
    return super.take(draws).thenApply(result -> recorded(draws, result, sent));
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    long sent = time.micros();
    return super.reserve(reservation, draws).thenApply(result -> recorded(draws, result, sent));
  }

  private TakeResult recorded(List<Draw> draws, TakeResult result, long sent) {
    hotKeys.noteAnswered(draws, result.statuses());
    return result.taken() ? result : refused(draws, result, sent);
  }

  /**
   * Raises retry-after to the time for which the refusal is cached, so that a client that waits
   * that long is not refused from the cache.
   */
  private TakeResult refused(List<Draw> draws, TakeResult result, long sent) {
    boolean repeated = !Draw.anyCountsRefusals(draws);
    long now = time.micros();
    List<LimitStatus> statuses = new ArrayList<>(result.statuses());
    for (int i = 0; i < statuses.size(); i++) {
      LimitStatus status = statuses.get(i);
      long holds = denials.record(draws.get(i), status, sent) - now;
      if (repeated && holds > Math.max(0, status.retryAfterMicros())) {
        statuses.set(i, status.edit().retryAfter(holds).build());
      }
    }
    recordGivenBack(draws, result.statuses());
    return new TakeResult(
        false, statuses, result.receipts(), result.grants(), result.drawIndexes());
  }

  /**
   * Clears the refusals of buckets that admitted a call which another node refused: their tokens
   * are being given back. The refund arrives before nearly all later calls. Only a call that joins
   * a batch with an earlier waiting call may overtake it.
   */
  private void recordGivenBack(List<Draw> draws, List<LimitStatus> statuses) {
    for (int i = 0; statuses.size() > 1 && i < statuses.size(); i++) {
      LimitStatus status = statuses.get(i);
      if (status.answered() && status.allowed() && !draws.get(i).isLook()) {
        onReturned(draws.get(i).pool(), draws.get(i).key());
      }
    }
  }

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    return super.settle(reservation, parts, terms)
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

  @Override
  public CompletionStage<SettlementResult> grant(Pool pool, Key key, long amount) {
    return super.grant(pool, key, amount).whenComplete((done, problem) -> onReturned(pool, key));
  }

  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    return super.reset(pool, key).whenComplete((done, problem) -> onReturned(pool, key));
  }

  /** Besides returned tokens, {@code endLease} also carries refunds of debt. */
  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
    return super.endLease(pool, key, lease).thenRun(() -> onReturned(pool, key));
  }

  private void onReturned(Pool pool, Key key) {
    denials.onReturned(pool, key, time.micros());
  }
}

package io.weir.tier;

import io.weir.Key;
import io.weir.Settlement;
import io.weir.Standing;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Held;
import io.weir.store.LeaseCall;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.store.Term;
import io.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The last step before the shared store: notes what it refuses, with the moment the call was sent,
 * for {@link DenyCache} to repeat, and which calls it answered, for {@link HotKeys}. A refusal that
 * is repeated for longer than the store said is told as such. Whatever comes back to a bucket
 * through here makes its refusals forgotten.
 */
final class DenyNotes extends ForwardingStore {
  private final Denials denials;
  private final HotKeys hotKeys;
  private final TimeSource time;

  DenyNotes(Denials denials, HotKeys hotKeys, TimeSource time, Store next) {
    super(next);
    this.denials = denials;
    this.hotKeys = hotKeys;
    this.time = time;
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    long sent = time.micros();
    return super.take(draws).thenApply(taking -> noted(draws, taking, sent));
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    long sent = time.micros();
    return super.reserve(reservation, draws).thenApply(taking -> noted(draws, taking, sent));
  }

  private Taking noted(List<Draw> draws, Taking taking, long sent) {
    hotKeys.noteAnswered(draws, taking.standings());
    return taking.taken() ? taking : refused(draws, taking, sent);
  }

  /** Whoever waits as long as told is asked again, and not refused from memory. */
  private Taking refused(List<Draw> draws, Taking taking, long sent) {
    boolean repeated = !Draw.anyCountsRefusals(draws);
    long now = time.micros();
    List<Standing> told = new ArrayList<>(taking.standings());
    for (int i = 0; i < told.size(); i++) {
      Standing standing = told.get(i);
      long holds = denials.note(draws.get(i), standing, sent) - now;
      if (repeated && holds > Math.max(0, standing.retryAfterMicros())) {
        told.set(i, standing.edit().retryAfter(holds).build());
      }
    }
    noteGivenBack(draws, taking.standings());
    return new Taking(false, told, taking.stamps(), taking.grants(), taking.places());
  }

  /**
   * What one node took for a call that another refused is on its way back, before nearly any call
   * that follows: only one that shares a call with somebody who waited before may get there first.
   */
  private void noteGivenBack(List<Draw> draws, List<Standing> standings) {
    for (int i = 0; standings.size() > 1 && i < standings.size(); i++) {
      Standing standing = standings.get(i);
      if (standing.answered() && standing.allowed() && !draws.get(i).looks()) {
        cameBack(draws.get(i).pool(), draws.get(i).key());
      }
    }
  }

  @Override
  public CompletionStage<Settlement> settle(long reservation, List<Held> parts, Term term) {
    return super.settle(reservation, parts, term)
        .thenApply(
            settled -> {
              parts.forEach(part -> cameBack(part.pool(), part.key()));
              return settled;
            });
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return super.refund(pool, key, amount).thenRun(() -> cameBack(pool, key));
  }

  /** Beside leases, what was owed and is not any more comes back like this. */
  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseCall lease) {
    return super.endLease(pool, key, lease).thenRun(() -> cameBack(pool, key));
  }

  private void cameBack(Pool pool, Key key) {
    denials.cameBack(pool, key, time.micros());
  }
}

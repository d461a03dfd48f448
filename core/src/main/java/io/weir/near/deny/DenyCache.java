package io.weir.near.deny;

import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.time.TimeSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The first step: repeats refusals that still hold. The result of a call refused here has only the
 * limit whose refusal is cached.
 */
public final class DenyCache extends ForwardingStore {
  private final DenialTable denials;
  private final TimeSource time;

  public DenyCache(DenialTable denials, TimeSource time, Store next) {
    super(next);
    this.denials = denials;
    this.time = time;
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    TakeResult refused = cachedRefusal(draws);
    return refused == null ? super.take(draws) : CompletableFuture.completedFuture(refused);
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    TakeResult refused = cachedRefusal(draws);
    return refused == null
        ? super.reserve(reservation, draws)
        : CompletableFuture.completedFuture(refused);
  }

  private @Nullable TakeResult cachedRefusal(List<Draw> draws) {
    for (int i = 0; i < draws.size(); i++) {
      Draw draw = draws.get(i);
      if (draw.mode() == Mode.ENFORCE && denials.hasEntryFor(draw)) {
        LimitStatus refusal = denials.find(draw, time.micros());
        if (refusal != null) {
          return Draw.anyCountsRefusals(draws) ? null : TakeResult.refusedAt(i, refusal);
        }
      }
    }
    return null;
  }
}

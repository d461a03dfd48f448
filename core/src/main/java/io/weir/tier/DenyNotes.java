package io.weir.tier;

import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.time.TimeSource;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The last step before the shared store: notes what it refuses, with the moment the call was sent,
 * for {@link DenyCache} to repeat, and which calls it answered, for {@link HotKeys}.
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
    hotKeys.noteAnswered(draws);
    if (!taking.taken()) {
      for (int i = 0; i < taking.standings().size(); i++) {
        denials.note(draws.get(i), taking.standings().get(i), sent);
      }
    }
    return taking;
  }
}

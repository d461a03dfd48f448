package io.weir.engine;

import io.weir.Explanation;
import io.weir.LimitStatus;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ShardedPool;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.List;

/**
 * Draws that were made, and what came of them.
 *
 * @param id what they were reserved by, if they were
 */
public record ShardAttempt(long id, List<Draw> draws, TakeResult result) {
  /** Whether each draw was refused. */
  boolean[] refused() {
    boolean[] refused = new boolean[draws.size()];
    for (int i = 0; i < refused.length; i++) {
      refused[i] = result.at(i).filter(status -> !status.allowed()).isPresent();
    }
    return refused;
  }

  /** This second try: where it was refused too, with the better of both answers. */
  ShardAttempt betterOf(ShardAttempt first) {
    if (result.taken()) {
      return this;
    }
    List<LimitStatus> statuses = new ArrayList<>(result.statuses());
    for (int i = 0; i < statuses.size(); i++) {
      LimitStatus before = first.result.at(result.drawIndexOf(i)).orElse(null);
      if (before != null && !before.allowed()) {
        statuses.set(i, better(before, statuses.get(i)));
      }
    }
    return new ShardAttempt(
        id, draws, new TakeResult(false, statuses, List.of(), List.of(), result.drawIndexes()));
  }

  /** This try, which took, with what came of asking some of its shadow draws again. */
  ShardAttempt withRetried(boolean[] asked, ShardAttempt again) {
    if (!again.result.isComplete()
        || again.result.receipts().isEmpty() != result.receipts().isEmpty()) {
      return this;
    }
    List<Draw> drawn = new ArrayList<>(draws);
    List<LimitStatus> statuses = new ArrayList<>(result.statuses());
    List<TakeReceipt> receipts = new ArrayList<>(result.receipts());
    int next = 0;
    for (int i = 0; i < asked.length; i++) {
      if (asked[i]) {
        statuses.set(i, better(statuses.get(i), again.result.statuses().get(next)));
        drawn.set(i, again.draws.get(next));
        if (!receipts.isEmpty()) {
          receipts.set(i, again.result.receipts().get(next));
        }
        next++;
      }
    }
    return new ShardAttempt(id, drawn, new TakeResult(true, statuses, receipts));
  }

  /** The answer of two shards that helps a caller more. */
  private static LimitStatus better(LimitStatus one, LimitStatus other) {
    if (other.allowed() || one.answered() != other.answered()) {
      return other.allowed() || other.answered() ? other : one;
    }
    // Waiting that cannot help is −1, and so the longest of all.
    long wait = one.retryAfterMicros();
    return Long.compareUnsigned(wait, other.retryAfterMicros()) <= 0 ? one : other;
  }

  /** The draw that a standing is about. */
  private Draw drawOf(int status) {
    return draws.get(result.drawIndexOf(status));
  }

  /**
   * What was asked, for whoever wants to know why.
   *
   * @param arithmetic in words, per draw
   */
  public List<Explanation.LimitCheck> limitChecks(List<String> arithmetic) {
    List<Explanation.LimitCheck> asked = new ArrayList<>();
    for (int i = 0; i < result.statuses().size(); i++) {
      Draw draw = drawOf(i);
      String text = arithmetic.get(result.drawIndexOf(i));
      Pool pool = draw.pool();
      asked.add(
          new Explanation.LimitCheck(
              result.statuses().get(i),
              draw.key().toString(),
              draw.amount(),
              pool.isSharded() ? "shard " + pool.shard() + ": " + text : text));
    }
    return asked;
  }

  /** The same, with what shards say taken for the whole limit. */
  ShardAttempt ofWhole() {
    List<LimitStatus> statuses = new ArrayList<>(result.statuses());
    for (int i = 0; i < statuses.size(); i++) {
      Draw draw = drawOf(i);
      if (draw.pool().isSharded()) {
        ShardedPool split = draw.pool().shardedPool();
        statuses.set(i, statuses.get(i).ofShard(split.whole(), split.size()));
      }
    }
    return new ShardAttempt(
        id,
        draws,
        new TakeResult(
            result.taken(), statuses, result.receipts(), List.of(), result.drawIndexes()));
  }
}

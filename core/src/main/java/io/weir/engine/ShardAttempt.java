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
public record ShardAttempt(long id, List<Draw> draws, TakeResult taking) {
  /** Whether each draw was refused. */
  boolean[] refused() {
    boolean[] refused = new boolean[draws.size()];
    for (int i = 0; i < refused.length; i++) {
      refused[i] = taking.at(i).filter(standing -> !standing.allowed()).isPresent();
    }
    return refused;
  }

  /** This second try: where it was refused too, with the better of both answers. */
  ShardAttempt after(ShardAttempt first) {
    if (taking.taken()) {
      return this;
    }
    List<LimitStatus> standings = new ArrayList<>(taking.statuses());
    for (int i = 0; i < standings.size(); i++) {
      LimitStatus before = first.taking.at(taking.drawIndexOf(i)).orElse(null);
      if (before != null && !before.allowed()) {
        standings.set(i, better(before, standings.get(i)));
      }
    }
    return new ShardAttempt(
        id, draws, new TakeResult(false, standings, List.of(), List.of(), taking.drawIndexes()));
  }

  /** This try, which took, with what came of asking some of its shadow draws again. */
  ShardAttempt with(boolean[] asked, ShardAttempt again) {
    if (!again.taking.isComplete()
        || again.taking.receipts().isEmpty() != taking.receipts().isEmpty()) {
      return this;
    }
    List<Draw> drawn = new ArrayList<>(draws);
    List<LimitStatus> standings = new ArrayList<>(taking.statuses());
    List<TakeReceipt> stamps = new ArrayList<>(taking.receipts());
    int next = 0;
    for (int i = 0; i < asked.length; i++) {
      if (asked[i]) {
        standings.set(i, better(standings.get(i), again.taking.statuses().get(next)));
        drawn.set(i, again.draws.get(next));
        if (!stamps.isEmpty()) {
          stamps.set(i, again.taking.receipts().get(next));
        }
        next++;
      }
    }
    return new ShardAttempt(id, drawn, new TakeResult(true, standings, stamps));
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
  private Draw drawOf(int standing) {
    return draws.get(taking.drawIndexOf(standing));
  }

  /**
   * What was asked, for whoever wants to know why.
   *
   * @param arithmetic in words, per draw
   */
  public List<Explanation.LimitCheck> limitChecks(List<String> arithmetic) {
    List<Explanation.LimitCheck> asked = new ArrayList<>();
    for (int i = 0; i < taking.statuses().size(); i++) {
      Draw draw = drawOf(i);
      String text = arithmetic.get(taking.drawIndexOf(i));
      Pool pool = draw.pool();
      asked.add(
          new Explanation.LimitCheck(
              taking.statuses().get(i),
              draw.key().toString(),
              draw.amount(),
              pool.isSharded() ? "shard " + pool.shard() + ": " + text : text));
    }
    return asked;
  }

  /** The same, with what shards say taken for the whole limit. */
  ShardAttempt ofWhole() {
    List<LimitStatus> standings = new ArrayList<>(taking.statuses());
    for (int i = 0; i < standings.size(); i++) {
      Draw draw = drawOf(i);
      if (draw.pool().isSharded()) {
        ShardedPool split = draw.pool().shardedPool();
        standings.set(i, standings.get(i).ofShard(split.whole(), split.size()));
      }
    }
    return new ShardAttempt(
        id,
        draws,
        new TakeResult(
            taking.taken(), standings, taking.receipts(), List.of(), taking.drawIndexes()));
  }
}

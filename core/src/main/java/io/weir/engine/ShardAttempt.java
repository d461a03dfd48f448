package io.weir.engine;

import io.weir.Explanation;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ShardedPool;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.List;

/**
 * One attempt at the draws of a call, and its result.
 *
 * @param id the id they were reserved under; 0 if they were not reserved
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

  /** This second attempt; if it was refused too, with the better status of both for each limit. */
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

  /** This attempt, which was taken, with the result of a retry of some of its shadow draws. */
  ShardAttempt withRetried(boolean[] retried, ShardAttempt again) {
    if (!again.result.isComplete()
        || again.result.receipts().isEmpty() != result.receipts().isEmpty()) {
      return this;
    }
    List<Draw> drawn = new ArrayList<>(draws);
    List<LimitStatus> statuses = new ArrayList<>(result.statuses());
    List<TakeReceipt> receipts = new ArrayList<>(result.receipts());
    int next = 0;
    for (int i = 0; i < retried.length; i++) {
      if (retried[i]) {
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

  /**
   * The more useful of the statuses of two shards: admitted, then available, then the shorter wait.
   */
  private static LimitStatus better(LimitStatus one, LimitStatus other) {
    if (other.allowed() || one.answered() != other.answered()) {
      return other.allowed() || other.answered() ? other : one;
    }
    // NEVER is −1, and so the longest wait as an unsigned number.
    long wait = one.retryAfterMicros();
    return Long.compareUnsigned(wait, other.retryAfterMicros()) <= 0 ? one : other;
  }

  /** The draw that a status, by its index, belongs to. */
  private Draw drawOf(int status) {
    return draws.get(result.drawIndexOf(status));
  }

  /**
   * The limits that were checked, for an explanation.
   *
   * @param arithmetic one text per draw
   */
  public List<Explanation.LimitCheck> limitChecks(List<String> arithmetic) {
    List<Explanation.LimitCheck> checks = new ArrayList<>();
    for (int i = 0; i < result.statuses().size(); i++) {
      Draw draw = drawOf(i);
      String text = arithmetic.get(result.drawIndexOf(i));
      Pool pool = draw.pool();
      checks.add(
          new Explanation.LimitCheck(
              result.statuses().get(i),
              draw.key().toString(),
              draw.amount(),
              pool.isSharded() ? "shard " + pool.shard() + ": " + text : text));
    }
    return checks;
  }

  /** This attempt with each shard's status scaled up to the whole limit. */
  ShardAttempt ofWhole() {
    List<LimitStatus> statuses = new ArrayList<>(result.statuses());
    for (int i = 0; i < statuses.size(); i++) {
      Draw draw = drawOf(i);
      if (draw.pool().isSharded()) {
        ShardedPool split = draw.pool().shardedPool();
        statuses.set(i, ofWhole(statuses.get(i), split));
      }
    }
    return new ShardAttempt(
        id,
        draws,
        new TakeResult(
            result.taken(), statuses, result.receipts(), List.of(), result.drawIndexes()));
  }

  /** Estimates: the other shards are assumed to have as much left, and to be restored as soon. */
  private static LimitStatus ofWhole(LimitStatus shard, ShardedPool split) {
    Limit whole = split.whole();
    long remaining = Math.min(whole.capacity(), shard.remaining() * split.size());
    return shard.edit().limit(whole).remaining(remaining).build();
  }
}

package io.weir.engine;

import io.weir.Key;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.List;

/**
 * What was taken for a call, to be put right when its true cost is known.
 *
 * @param id nobody can guess it; permits are held in its name
 * @param madeAtMicros when, on the wall clock of the instance that made it; each part knows the
 *     time where it was taken
 */
record Reservation(long id, long madeAtMicros, List<BucketPart> parts) {

  /**
   * One bucket's part, by names, as rules may have changed when it is settled.
   *
   * @param slot which of the rule's limits, and which shard of it
   * @param tenant whose plan held the limit; empty where plans do not matter
   * @param unit what the call's true cost is multiplied by
   */
  record BucketPart(
      String rule,
      String slot,
      String tenant,
      Key key,
      long amount,
      long unit,
      TakeReceipt receipt) {}

  /**
   * The reservation that follows from draws that were taken; shadow draws that did not admit have
   * no part in it.
   */
  static Reservation of(ShardAttempt attempt, long madeAtMicros, String tenant) {
    List<BucketPart> parts = new ArrayList<>();
    TakeResult result = attempt.result();
    for (int i = 0; i < attempt.draws().size(); i++) {
      if (result.statuses().get(i).allowed()) {
        Draw draw = attempt.draws().get(i);
        parts.add(
            new BucketPart(
                draw.pool().rule(),
                draw.pool().slot(),
                tenant,
                draw.key(),
                draw.amount(),
                draw.unit(),
                result.receipts().get(i)));
      }
    }
    return new Reservation(attempt.id(), madeAtMicros, parts);
  }
}

package io.weir.engine;

import io.weir.Key;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.List;

/**
 * The amounts taken for a call, to be settled when its true cost is known.
 *
 * @param id random, so that it cannot be guessed; permits are held under it
 * @param madeAtMicros when it was made, on the wall clock of that instance; the receipt of each
 *     part has the time on the store's clock
 */
record Reservation(long id, long madeAtMicros, List<BucketPart> parts) {

  /**
   * The part of one bucket. It refers to rule and limit by name, as rules may have changed when it
   * is settled.
   *
   * @param slot identifies the limit within the rule, and the shard of it
   * @param tenant the tenant whose plan has the limit; empty if plans do not matter
   * @param unit the factor for the call's true cost
   */
  record BucketPart(
      String rule,
      String slot,
      String tenant,
      Key key,
      long amount,
      long unit,
      TakeReceipt receipt) {}

  /** The reservation for draws that were taken. It leaves out shadow draws that did not admit. */
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

package io.weir.store;

import io.weir.Key;
import io.weir.limit.TakeReceipt;

/**
 * One bucket's part in a reservation.
 *
 * @param amount what was reserved
 * @param owed what it should have been; the same for parts that are only released or renewed
 */
public record ReservedPart(
    Pool pool, Key key, long amount, long actualAmount, TakeReceipt receipt) {}

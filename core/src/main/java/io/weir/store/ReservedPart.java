package io.weir.store;

import io.weir.Key;
import io.weir.limit.TakeReceipt;

/**
 * One bucket's part of a reservation.
 *
 * @param amount the reserved amount
 * @param actualAmount the amount to settle at; equal to {@code amount} for parts that are only
 *     released or renewed
 */
public record ReservedPart(
    Pool pool, Key key, long amount, long actualAmount, TakeReceipt receipt) {}

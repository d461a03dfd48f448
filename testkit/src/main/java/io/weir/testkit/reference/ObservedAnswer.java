package io.weir.testkit.reference;

import io.weir.limit.Meter;

/**
 * The answer of one limit as a caller sees it. Times are in microseconds.
 *
 * @param retryAfter 0 when allowed, {@link Meter#NEVER} when waiting does not help
 * @param delay how long an admitted call should wait before it proceeds
 */
public record ObservedAnswer(
    boolean allowed, long remaining, long reset, long retryAfter, long delay) {}

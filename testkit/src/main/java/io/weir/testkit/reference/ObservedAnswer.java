package io.weir.testkit.reference;

import io.weir.limit.Meter;

/**
 * What a caller sees of one limit's answer. Times are in microseconds.
 *
 * @param retryAfter 0 when allowed, {@link Meter#NEVER} when waiting cannot help
 * @param delay how long an admitted call should wait before it goes
 */
public record ObservedAnswer(
    boolean allowed, long remaining, long reset, long retryAfter, long delay) {}

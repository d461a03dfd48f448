package io.weir.control.usage;

import java.time.Instant;

/**
 * The usage of a quota at one moment.
 *
 * @param limit the limit's name, or its ordinal
 * @param key the hash of the key
 * @param period when the quota's period started
 * @param generation raised by {@code reset} and {@code grant}; the highest counts
 * @param used the tokens taken in the period; within a generation the largest counts
 */
public record Checkpoint(
    String rule,
    String limit,
    String key,
    Instant period,
    String cell,
    long generation,
    long used) {}

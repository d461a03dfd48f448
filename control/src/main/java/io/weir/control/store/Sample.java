package io.weir.control.store;

import java.time.Instant;

/**
 * What one instance saw of both sides of a rollout for one changed rule.
 *
 * @param body as the judge reads it, at most {@link SampleStore#MAX_BYTES}
 */
public record Sample(long rollout, String instance, String rule, String body, Instant at) {}

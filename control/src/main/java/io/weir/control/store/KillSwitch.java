package io.weir.control.store;

import java.time.Instant;

/**
 * Rules in shadow until a time, by the control plane's own road.
 *
 * @param scope {@code all}, {@code rule/ID} or {@code tenant/ID}
 */
public record KillSwitch(
    String scope, Instant until, String message, String author, Instant created) {}

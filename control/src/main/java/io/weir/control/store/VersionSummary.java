package io.weir.control.store;

import java.time.Instant;

/** A line of the history of versions, without the text. */
public record VersionSummary(
    long number, long parent, String sha256, String author, String message, Instant created) {}

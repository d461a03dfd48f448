package io.weir.control.feed;

import io.weir.control.audit.ChainMemory;

/** How far a reader has come: the last change it applied, and what it saw of the audit log. */
public record FeedPosition(long seq, ChainMemory memory) {}

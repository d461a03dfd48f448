package io.weir.redis;

import java.util.concurrent.CompletableFuture;

/** A script call for one group of keys, waiting for its answer until its deadline. */
final class Ask extends CompletableFuture<byte[]> {
  private final Script script;
  private final byte[][] keys;
  private final byte[] args;
  private final long deadlineNanos;

  Ask(Script script, byte[][] keys, byte[] args, long deadlineNanos) {
    this.script = script;
    this.keys = keys;
    this.args = args;
    this.deadlineNanos = deadlineNanos;
  }

  Script script() {
    return script;
  }

  byte[][] keys() {
    return keys;
  }

  /** What follows the time in the script's argument. */
  byte[] args() {
    return args;
  }

  /** Nanoseconds from now to the deadline; not positive once it has passed. */
  long nanosLeft(long nowNanos) {
    return deadlineNanos - nowNanos;
  }

  void fail(Unanswered reason) {
    completeExceptionally(reason);
  }
}

package io.weir.redis.call;

import io.weir.redis.script.Script;
import java.util.concurrent.CompletableFuture;

/**
 * A script call for one group of keys that waits for its reply. It occupies one of the waiting
 * places of its node until it ends.
 */
public final class PendingCall extends CompletableFuture<byte[]> {
  private final CallPurpose purpose;
  private final Script script;
  private final byte[][] keys;
  private final byte[] args;
  private final NodeHealth node;
  private final long startNanos;

  public PendingCall(
      NodeHealth node,
      CallPurpose purpose,
      Script script,
      byte[][] keys,
      byte[] args,
      long startNanos) {
    this.node = node;
    this.purpose = purpose;
    this.script = script;
    this.keys = keys;
    this.args = args;
    this.startNanos = startNanos;
  }

  Script script() {
    return script;
  }

  byte[][] keys() {
    return keys;
  }

  /** The script's argument after the time. */
  byte[] args() {
    return args;
  }

  /** Nanoseconds since the call started. */
  long age(long nowNanos) {
    return nowNanos - startNanos;
  }

  boolean isBefore(PendingCall other) {
    return startNanos - other.startNanos < 0;
  }

  /** The script found values that Weir did not write. */
  void onInvalidValue(long values) {
    node.onInvalidValue(values);
  }

  /** Completes with a reply, unless the caller gave up before. */
  void answer(byte[] bytes) {
    if (complete(bytes)) {
      node.leave();
      if (purpose == CallPurpose.USE) {
        node.onAnswer(age(System.nanoTime()));
      }
    } else if (purpose == CallPurpose.USE) {
      node.onSignOfLife();
    }
  }

  /**
   * Ends the call because its caller gave up, unless there was a reply; a call that was not sent
   * yet is never sent. This is no evidence about the node, which had less than the full timeout. If
   * the call was the breaker's probe, another one follows.
   */
  @Override
  public boolean cancel(boolean mayInterrupt) {
    boolean ended = completeExceptionally(NoAnswerException.timeout());
    if (ended) {
      node.leave();
      if (purpose == CallPurpose.USE) {
        node.onGivenUp();
      }
    }
    return ended;
  }

  /** Fails the call, unless there was a reply. */
  public void fail(NoAnswerException reason) {
    if (completeExceptionally(reason)) {
      node.leave();
      if (purpose == CallPurpose.USE) {
        node.onFailure(reason, age(System.nanoTime()));
      }
    }
  }
}

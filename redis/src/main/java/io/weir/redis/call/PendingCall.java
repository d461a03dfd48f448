package io.weir.redis.call;

import io.weir.redis.script.Script;
import java.util.concurrent.CompletableFuture;

/**
 * A script call for one group of keys, waiting for its answer. It has a place among those who wait
 * for its node, and leaves it when it ends.
 */
public final class PendingCall extends CompletableFuture<byte[]> {
  private final CallPurpose purpose;
  private final Script script;
  private final byte[][] keys;
  private final byte[] args;
  private final NodeHealth node;
  private final long askedNanos;

  public PendingCall(
      NodeHealth node,
      CallPurpose purpose,
      Script script,
      byte[][] keys,
      byte[] args,
      long askedNanos) {
    this.node = node;
    this.purpose = purpose;
    this.script = script;
    this.keys = keys;
    this.args = args;
    this.askedNanos = askedNanos;
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

  /** Nanoseconds since it was asked. */
  long age(long nowNanos) {
    return nowNanos - askedNanos;
  }

  boolean isBefore(PendingCall other) {
    return askedNanos - other.askedNanos < 0;
  }

  /** The call met so many values that Weir did not write. */
  void onInvalidValue(long values) {
    node.onInvalidValue(values);
  }

  /** Ends with an answer, unless it was given up before. */
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
   * Ends as its caller waits no longer, unless there was an answer; if it was not sent yet, it
   * never is. That says nothing of its node, which had less time than it may take, but if it was to
   * find out whether the node answers, another has to.
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

  /** Ends without an answer, unless there was one. */
  public void fail(NoAnswerException reason) {
    if (completeExceptionally(reason)) {
      node.leave();
      if (purpose == CallPurpose.USE) {
        node.onFailure(reason, age(System.nanoTime()));
      }
    }
  }
}

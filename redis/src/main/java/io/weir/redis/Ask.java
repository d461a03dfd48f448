package io.weir.redis;

import java.util.concurrent.CompletableFuture;

/** A call's draws on one group of keys, waiting for their answers. */
final class Ask {
  final byte[][] keys;
  final byte[] args;
  final long deadlineNanos;
  final CompletableFuture<byte[]> answer = new CompletableFuture<>();

  Ask(byte[][] keys, byte[] args, long deadlineNanos) {
    this.keys = keys;
    this.args = args;
    this.deadlineNanos = deadlineNanos;
  }

  void fail(String reason) {
    answer.completeExceptionally(new Unanswered(reason));
  }
}

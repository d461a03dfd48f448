package io.weir.redis.link;

import io.weir.redis.call.CallPurpose;
import io.weir.redis.script.Script;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Runs scripts on independent nodes, each of which holds a part of the keys. An unavailable node
 * affects its own keys only.
 */
final class RingRunner implements ScriptRunner {
  private final Ring ring;
  private final List<NodeRunner> nodes;

  /** A runner for nodes, in the order in which the ring names them. */
  RingRunner(Ring ring, List<NodeRunner> nodes) {
    this.ring = ring;
    this.nodes = List.copyOf(nodes);
  }

  @Override
  public int groupOf(byte[] key) {
    return ring.nodeOf(key);
  }

  @Override
  public CompletionStage<byte[]> run(
      CallPurpose purpose, Script script, byte[][] keys, byte[] args) {
    return nodes.get(groupOf(keys[0])).run(purpose, script, keys, args);
  }

  @Override
  public boolean isUnavailable(byte[] key) {
    return nodes.get(groupOf(key)).isUnavailable(key);
  }

  @Override
  public CompletionStage<Void> connected() {
    return CompletableFuture.allOf(
        nodes.stream()
            .map(node -> node.connected().toCompletableFuture())
            .toArray(CompletableFuture[]::new));
  }

  @Override
  public CompletionStage<Void> anyConnected() {
    return CompletableFuture.anyOf(
            nodes.stream()
                .map(node -> node.connected().toCompletableFuture())
                .toArray(CompletableFuture[]::new))
        .thenApply(any -> null);
  }

  @Override
  public void close() {
    nodes.forEach(NodeRunner::close);
  }
}

package io.weir.redis;

import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What a store tells of its nodes. */
final class Heard implements RedisEvents {
  /** Whether calls are kept from a node, for each that is known. */
  final Map<String, Boolean> breakers = new ConcurrentHashMap<>();

  /** Nodes that have answered, and are still known. */
  final Set<String> answering = ConcurrentHashMap.newKeySet();

  /** Nodes that have not, and how that is called. */
  final Set<String> failing = ConcurrentHashMap.newKeySet();

  /** What became of calls: {@code answered}, or the kind of a failure. */
  final Queue<String> calls = new ConcurrentLinkedQueue<>();

  /** The turns of breakers: {@code opens} and {@code closes}. */
  final Queue<String> turns = new ConcurrentLinkedQueue<>();

  @Override
  public void answered(String node, long nanos) {
    answering.add(node);
    calls.add("answered");
  }

  @Override
  public void failed(String node, String kind) {
    failing.add(node + " " + kind);
    calls.add(kind);
  }

  @Override
  public void breaker(String node, boolean open) {
    breakers.put(node, open);
    turns.add(open ? "opens" : "closes");
  }

  @Override
  public void gone(String node) {
    breakers.remove(node);
    answering.remove(node);
  }
}

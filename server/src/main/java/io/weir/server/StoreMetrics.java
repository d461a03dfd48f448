package io.weir.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.weir.redis.RedisEvents;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Counts how the nodes of a shared store answer. Labels are the nodes' addresses and kinds of
 * trouble, of which there are few.
 */
final class StoreMetrics implements RedisEvents {
  /** A trouble of a node. */
  private record Trouble(String node, String kind) {}

  private final MeterRegistry registry;
  private final Map<String, Timer> answers = new ConcurrentHashMap<>();
  private final Map<Trouble, Counter> errors = new ConcurrentHashMap<>();

  StoreMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void answered(String node, long nanos) {
    Timer timer = answers.get(node);
    if (timer == null) {
      timer = answers.computeIfAbsent(node, this::timer);
    }
    timer.record(nanos, TimeUnit.NANOSECONDS);
  }

  private Timer timer(String node) {
    return Timer.builder("weir.store")
        .description("How long nodes of the store take to answer")
        .tag("node", node)
        .serviceLevelObjectives(
            Duration.ofNanos(250_000),
            Duration.ofNanos(500_000),
            Duration.ofMillis(1),
            Duration.ofMillis(2),
            Duration.ofMillis(5),
            Duration.ofMillis(10),
            Duration.ofMillis(50),
            Duration.ofMillis(250))
        .register(registry);
  }

  @Override
  public void failed(String node, String kind) {
    errors.computeIfAbsent(new Trouble(node, kind), this::counter).increment();
  }

  private Counter counter(Trouble trouble) {
    return Counter.builder("weir.store.errors")
        .description("Calls that nodes of the store did not answer")
        .tag("node", trouble.node())
        .tag("kind", trouble.kind())
        .register(registry);
  }
}

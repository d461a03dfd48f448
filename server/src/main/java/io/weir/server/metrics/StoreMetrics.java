package io.weir.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.weir.redis.RedisEvents;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Counts how the nodes of a shared store answer. Labels are the nodes' addresses and kinds of
 * trouble, of which there are few.
 */
public final class StoreMetrics implements RedisEvents {
  /** A trouble of a node. */
  private record NodeError(String node, String kind) {}

  /**
   * How a node is.
   *
   * @param open whether calls are kept from it
   * @param degradedSeconds for how long they were, in all
   */
  public record NodeStatus(String name, boolean open, double degradedSeconds) {}

  private final MeterRegistry registry;
  private final Map<String, Timer> answers = new ConcurrentHashMap<>();
  private final Map<NodeError, Counter> errors = new ConcurrentHashMap<>();
  private final Map<String, Counter> invalid = new ConcurrentHashMap<>();
  private final Map<String, OpenBreakerTime> breakers = new ConcurrentHashMap<>();

  StoreMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void onAnswer(String node, long nanos) {
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
  public void onFailure(String node, String kind) {
    errors.computeIfAbsent(new NodeError(node, kind), this::counter).increment();
  }

  @Override
  public void onInvalidValue(String node, long values) {
    invalid.computeIfAbsent(node, this::invalidValues).increment(values);
  }

  private Counter invalidValues(String node) {
    return Counter.builder("weir.store.invalid.values")
        .description("Values in the store that Weir did not write, and that counted as absent")
        .tag("node", node)
        .register(registry);
  }

  @Override
  public void onBreakerChange(String node, boolean open) {
    breakers.computeIfAbsent(node, this::shown).onBreakerChange(open);
  }

  /** The nodes that there are, by name. */
  public List<NodeStatus> nodes() {
    return breakers.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(entry -> entry.getValue().of(entry.getKey()))
        .toList();
  }

  private OpenBreakerTime shown(String node) {
    OpenBreakerTime keeping = new OpenBreakerTime();
    Gauge.builder("weir.breaker.state", keeping, OpenBreakerTime::state)
        .description("1 while calls are kept from a node of the store, else 0")
        .tag("node", node)
        .strongReference(true)
        .register(registry);
    FunctionCounter.builder("weir.degraded.seconds", keeping, OpenBreakerTime::seconds)
        .description("How long calls were kept from a node of the store")
        .tag("node", node)
        .register(registry);
    return keeping;
  }

  @Override
  public void onNodeRemoved(String node) {
    breakers.remove(node);
    answers.remove(node);
    invalid.remove(node);
    errors.keySet().removeIf(trouble -> trouble.node().equals(node));
    Stream.of(
            "weir.breaker.state",
            "weir.degraded.seconds",
            "weir.store",
            "weir.store.errors",
            "weir.store.invalid.values")
        .flatMap(name -> registry.find(name).tag("node", node).meters().stream())
        .forEach(registry::remove);
  }

  /** Whether calls are kept from a node, and for how long they were. */
  private static final class OpenBreakerTime {
    private boolean open;
    private long since;
    private long nanos;

    synchronized void onBreakerChange(boolean nowOpen) {
      nanos = nanos();
      open = nowOpen;
      since = System.nanoTime();
    }

    private long nanos() {
      return open ? nanos + System.nanoTime() - since : nanos;
    }

    synchronized NodeStatus of(String node) {
      return new NodeStatus(node, open, seconds());
    }

    synchronized double state() {
      return open ? 1 : 0;
    }

    synchronized double seconds() {
      return nanos() / 1e9;
    }
  }

  private Counter counter(NodeError trouble) {
    return Counter.builder("weir.store.errors")
        .description("Calls that nodes of the store did not answer")
        .tag("node", trouble.node())
        .tag("kind", trouble.kind())
        .register(registry);
  }
}

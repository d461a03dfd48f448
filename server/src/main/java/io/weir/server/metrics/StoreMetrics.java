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
 * Metrics of the nodes of a shared store. Label values are node addresses and kinds of errors, both
 * few.
 */
public final class StoreMetrics implements RedisEvents {
  /** A kind of error on a node. */
  private record NodeError(String node, String kind) {}

  /**
   * The status of a node.
   *
   * @param open whether its breaker is open
   * @param degradedSeconds total time with an open breaker, in seconds
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
        .description("Response time of the store's nodes")
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
        .description("Values in the store not written by Weir; they count as absent")
        .tag("node", node)
        .register(registry);
  }

  @Override
  public void onBreakerChange(String node, boolean open) {
    breakers.computeIfAbsent(node, this::shown).onBreakerChange(open);
  }

  /** The status of all nodes, ordered by name. */
  public List<NodeStatus> nodes() {
    return breakers.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(entry -> entry.getValue().of(entry.getKey()))
        .toList();
  }

  private OpenBreakerTime shown(String node) {
    OpenBreakerTime openTime = new OpenBreakerTime();
    Gauge.builder("weir.breaker.state", openTime, OpenBreakerTime::state)
        .description("1 while the breaker of a node is open, else 0")
        .tag("node", node)
        .strongReference(true)
        .register(registry);
    FunctionCounter.builder("weir.degraded.seconds", openTime, OpenBreakerTime::seconds)
        .description("Total time with an open breaker of a node")
        .tag("node", node)
        .register(registry);
    return openTime;
  }

  @Override
  public void onNodeRemoved(String node) {
    breakers.remove(node);
    answers.remove(node);
    invalid.remove(node);
    errors.keySet().removeIf(error -> error.node().equals(node));
    Stream.of(
            "weir.breaker.state",
            "weir.degraded.seconds",
            "weir.store",
            "weir.store.errors",
            "weir.store.invalid.values")
        .flatMap(name -> registry.find(name).tag("node", node).meters().stream())
        .forEach(registry::remove);
  }

  /** The breaker state of a node, and the total time it was open. */
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

  private Counter counter(NodeError error) {
    return Counter.builder("weir.store.errors")
        .description("Failed requests to the store's nodes")
        .tag("node", error.node())
        .tag("kind", error.kind())
        .register(registry);
  }
}

package io.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class StoreMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final StoreMetrics metrics = new StoreMetrics(registry);

  private void receive(String node) {
    metrics.onBreakerChange(node, true);
    metrics.onAnswer(node, 1_000_000);
    metrics.onFailure(node, "timeout");
    metrics.onFailure(node, "disconnected");
    metrics.onInvalidValue(node, 3);
  }

  private int metersOf(String node) {
    return registry.getMeters().stream()
        .filter(meter -> node.equals(meter.getId().getTag("node")))
        .toList()
        .size();
  }

  @Test
  void removesSeriesOfRemovedNodes() {
    receive("a:1");
    receive("b:1");
    int each = metersOf("a:1");

    metrics.onNodeRemoved("a:1");

    assertThat(each).isGreaterThanOrEqualTo(6);
    assertThat(metersOf("a:1")).isZero();
    assertThat(metersOf("b:1")).isEqualTo(each);
  }

  @Test
  void aReturningNodeStartsAtZero() {
    receive("a:1");
    int all = metersOf("a:1");
    metrics.onNodeRemoved("a:1");

    receive("a:1");

    assertThat(metersOf("a:1")).isEqualTo(all);
    assertThat(registry.get("weir.store").tag("node", "a:1").timer().count()).isEqualTo(1);
    assertThat(registry.get("weir.store.invalid.values").tag("node", "a:1").counter().count())
        .isEqualTo(3);
  }
}

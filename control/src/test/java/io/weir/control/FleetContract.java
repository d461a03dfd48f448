package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.control.audit.AuditHead;
import io.weir.control.database.DatabaseException;
import io.weir.control.store.DriverLease;
import io.weir.control.store.Instance;
import io.weir.control.store.Tenant;
import io.weir.control.usage.Checkpoint;
import io.weir.control.usage.UsageCheckpoints;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tenants, instances, usage and the driver's lease. */
interface FleetContract extends ContractHarness {
  @Test
  default void importsTenantsInOneTransactionWithOneEntry() {
    List<Tenant> tenants =
        IntStream.range(0, 2500).mapToObj(i -> new Tenant("t" + i, "free")).toList();
    long entries = stores().audit().head().seq();

    assertThat(stores().tenants().put(tenants, ALICE)).isEqualTo(2500);
    Tenant own = new Tenant("t7", "standard", new TreeMap<>(Map.of("rate", "250/s")));
    stores().tenants().put(List.of(own, new Tenant("new", "standard")), ALICE);

    assertThat(stores().audit().head().seq()).isEqualTo(entries + 2);
    assertThat(stores().tenants().find("t7")).contains(own);
    assertThat(stores().tenants().countByTier()).isEqualTo(Map.of("free", 2499L, "standard", 2L));
    assertThat(stores().tenants().list("", 2)).extracting(Tenant::id).containsExactly("new", "t0");
  }

  @Test
  default void anImportThatFailsLeavesNothing() {
    long entries = stores().audit().head().seq();
    tamper("alter table tenant add constraint not_b check (id <> 'b')");
    List<Tenant> tenants = List.of(new Tenant("a", "free"), new Tenant("b", "free"));

    assertThatThrownBy(() -> stores().tenants().put(tenants, ALICE))
        .isInstanceOf(DatabaseException.class);

    assertThat(stores().tenants().find("a")).isEmpty();
    assertThat(stores().audit().head().seq()).isEqualTo(entries);
  }

  @Test
  default void aRemovedTenantCanComeBack() {
    stores().tenants().put(List.of(new Tenant("acme", "free")), ALICE);
    assertThat(stores().tenants().remove("acme", ALICE)).isTrue();
    assertThat(stores().tenants().remove("acme", ALICE)).isFalse();
    assertThat(stores().tenants().find("acme")).isEmpty();

    stores().tenants().put(List.of(new Tenant("acme", "standard")), ALICE);

    assertThat(stores().tenants().find("acme")).contains(new Tenant("acme", "standard"));
  }

  @Test
  default void aHeartbeatReplacesTheOneBefore() {
    AuditHead head = new AuditHead("", 1, 3, "f".repeat(64));
    Instance report =
        new Instance(
            "a", 3, Optional.empty(), "", 7, head, Duration.ofMillis(-12), database().now());
    stores().instances().heartbeat(report);
    time().advance(Duration.ofSeconds(5));
    Instant now = database().now();
    Instance later = new Instance("a", 4, Optional.of(now), "[\"x\"]", 8, head, Duration.ZERO, now);
    stores().instances().heartbeat(later);

    assertThat(stores().instances().seenSince(now)).containsExactly(later);
    assertThat(stores().instances().forgetBefore(now)).isZero();
    assertThat(stores().instances().forgetBefore(now.plusMillis(1))).isEqualTo(1);
    assertThat(stores().instances().seenSince(Instant.EPOCH)).isEmpty();
  }

  @Test
  default void usageMergesByGenerationThenByCount() {
    Instant day = Instant.parse("2026-01-01T00:00:00Z");
    UsageCheckpoints usage = stores().usage();
    usage.merge(List.of(checkpoint("k", day, 0, 500)));
    usage.merge(List.of(checkpoint("k", day, 0, 400), checkpoint("other", day, 0, 1)));
    assertThat(usage.find("plan", "day", "k", day, "eu")).contains(checkpoint("k", day, 0, 500));

    assertThat(usage.restart("plan", "day", "k", day, "eu", 20))
        .isEqualTo(checkpoint("k", day, 1, 20));
    usage.merge(List.of(checkpoint("k", day, 0, 900)));
    assertThat(usage.find("plan", "day", "k", day, "eu")).contains(checkpoint("k", day, 1, 20));
    usage.merge(List.of(checkpoint("k", day, 1, 30)));

    assertThat(usage.load("plan", day, 10))
        .containsExactly(checkpoint("k", day, 1, 30), checkpoint("other", day, 0, 1));
    assertThat(usage.load("plan", day.plusSeconds(1), 10)).isEmpty();
    assertThat(usage.forgetBefore(database().now().plusSeconds(1))).isEqualTo(2);
  }

  @Test
  default void twoInstancesMergeTheSameKeysInOppositeOrder() {
    Instant day = Instant.parse("2026-01-01T00:00:00Z");
    List<Checkpoint> forward = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      forward.add(checkpoint("k" + i, day, 0, i));
    }
    List<Checkpoint> backward = new ArrayList<>(forward);
    Collections.reverse(backward);
    ControlStores other = anotherInstance("b");

    List.of(forward, backward, forward, backward).parallelStream()
        .forEach(it -> (it == forward ? stores() : other).usage().merge(it));

    assertThat(stores().usage().load("plan", day, 1000)).hasSize(500);
  }

  @Test
  default void oneInstanceAtATimeDrives() {
    DriverLease lease = stores().driver();
    Duration ttl = Duration.ofSeconds(10);
    DriverLease.Grant first = lease.acquire("a", ttl).orElseThrow();
    assertThat(lease.acquire("b", ttl)).isEmpty();
    time().advance(Duration.ofSeconds(9));
    assertThat(lease.acquire("a", ttl).orElseThrow().term()).isEqualTo(first.term());
    assertThat(lease.acquire("b", ttl)).isEmpty();

    time().advance(ttl);
    assertThat(lease.holder()).isEmpty();
    DriverLease.Grant second = lease.acquire("b", ttl).orElseThrow();

    assertThat(second.term()).isEqualTo(first.term() + 1);
    assertThat(lease.acquire("a", ttl)).isEmpty();
    assertThat(lease.holder()).contains(second);
    lease.release("a");
    assertThat(lease.holder()).contains(second);
    lease.release("b");
    assertThat(lease.acquire("a", ttl)).isPresent();
  }

  private static Checkpoint checkpoint(String key, Instant period, long generation, long used) {
    return new Checkpoint("plan", "day", key, period, "eu", generation, used);
  }
}

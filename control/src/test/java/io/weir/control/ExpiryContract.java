package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.audit.AuditEntry;
import io.weir.control.feed.ChangeFeed;
import io.weir.control.feed.FeedUpdate;
import io.weir.control.rollout.RolloutDriver;
import io.weir.control.store.Adjustment;
import io.weir.control.store.KeyRef;
import io.weir.control.store.Tenant;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is temporary is marked as ended, and audited once. */
interface ExpiryContract extends ContractHarness {
  @Test
  default void whatExpiresIsAuditedOnce() {
    KeyRef key = KeyRef.of(List.of("42"));
    Instant start = database().now();
    Instant soon = start.plusSeconds(60);
    Instant later = start.plusSeconds(3600);
    var factor = new Adjustment.Factor(2);
    stores().overrides().set("api", key, factor, start, soon, ALICE);
    stores().overrides().set("other", key, factor, start, later, ALICE);
    stores().blocks().block(Optional.of("api"), key, soon, ALICE);
    stores().blocks().block(Optional.empty(), key, later, ALICE);
    stores().killSwitches().on("rule/api", soon, ALICE);
    stores().killSwitches().on("all", later, ALICE);
    RolloutFleet fleet = new RolloutFleet(this);
    RolloutDriver other = fleet.driver(anotherInstance("b"), "b");
    fleet.driver.look();
    assertThat(expired()).isEmpty();

    time().advance(Duration.ofSeconds(60));
    fleet.driver.look();
    time().advance(Duration.ofSeconds(30));
    other.look();
    assertThat(other.figures().driving()).isTrue();
    fleet.driver.look();

    assertThat(expired())
        .containsExactly(
            "a override.expired override/api/" + key.hash(),
            "a block.expired block/api/" + key.hash(),
            "a killswitch.expired killswitch/rule/api");
    assertThat(stores().overrides().list(0, 10, true))
        .extracting(it -> it.rule() + " " + it.live())
        .containsExactly("api false", "other true");
    assertThat(stores().blocks().list(0, 10, true))
        .extracting(it -> it.live())
        .containsExactly(false, true);
    assertThat(stores().killSwitches().list()).extracting(it -> it.scope()).containsExactly("all");
    assertThat(stores().audit().verify(List.of()).findings()).isEmpty();
  }

  @Test
  default void manyThatExpireTogetherTakeSeveralLooks() {
    Instant start = database().now();
    for (int i = 0; i < 510; i++) {
      KeyRef key = KeyRef.of(List.of("k" + i));
      stores().blocks().block(Optional.of("api"), key, start.plusSeconds(1), ALICE);
    }
    RolloutFleet fleet = new RolloutFleet(this);
    time().advance(Duration.ofSeconds(2));

    fleet.driver.look();
    assertThat(expired()).hasSize(500);
    fleet.driver.look();
    assertThat(expired()).hasSize(510);
  }

  @Test
  default void notesOfChangesAreDeletedAfterADay() {
    ChangeFeed feed = new ChangeFeed(database());
    FeedUpdate.Snapshot old = (FeedUpdate.Snapshot) feed.read(Optional.empty());
    stores().tenants().put(List.of(new Tenant("a", "free")), ALICE);
    RolloutFleet fleet = new RolloutFleet(this);
    time().advance(Duration.ofHours(23));
    fleet.driver.look();
    assertThat(feed.read(Optional.of(old.position()))).isInstanceOf(FeedUpdate.Delta.class);

    time().advance(Duration.ofHours(2));
    fleet.driver.look();

    assertThat(feed.read(Optional.of(old.position()))).isInstanceOf(FeedUpdate.Snapshot.class);
  }

  private List<String> expired() {
    return stores().audit().after(0, 10_000).stream()
        .filter(it -> it.record().action().endsWith(".expired"))
        .map(ExpiryContract::describe)
        .toList();
  }

  private static String describe(AuditEntry it) {
    return it.origin().actor() + " " + it.record().action() + " " + it.record().target();
  }
}

package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.feed.ChangeFeed;
import io.weir.control.feed.ControlState;
import io.weir.control.feed.FeedUpdate;
import io.weir.control.store.Adjustment;
import io.weir.control.store.Block;
import io.weir.control.store.KeyOverride;
import io.weir.control.store.KeyRef;
import io.weir.control.store.Role;
import io.weir.control.store.Tenant;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Snapshots and deltas. */
interface FeedContract extends ContractHarness {
  @Test
  default void aReaderWithoutAPositionGetsASnapshot() {
    makeSomeOfEverything(1);

    FeedUpdate.Snapshot snapshot = snapshot();

    assertThat(snapshot.rules().target().orElseThrow().number()).isEqualTo(1);
    assertThat(snapshot.rules().stable()).isEmpty();
    assertThat(snapshot.overrides()).hasSize(1);
    assertThat(snapshot.blocks()).hasSize(1);
    assertThat(snapshot.killSwitches()).hasSize(1);
    assertThat(snapshot.tokens()).hasSize(1);
    assertThat(snapshot.tenants()).hasSize(2);
  }

  @Test
  default void aReaderThatHasAllGetsNothing() {
    makeSomeOfEverything(1);
    assertThat(feed().read(Optional.of(snapshot().position())))
        .isEqualTo(new FeedUpdate.Unchanged());
  }

  @Test
  default void fiveHundredTenantsAreOneDeltaWithNothingElse() {
    makeSomeOfEverything(1);
    FeedUpdate.Snapshot before = snapshot();
    stores()
        .tenants()
        .put(IntStream.range(0, 500).mapToObj(i -> new Tenant("many" + i, "free")).toList(), ALICE);

    FeedUpdate.Delta delta = (FeedUpdate.Delta) feed().read(Optional.of(before.position()));

    assertThat(delta.position().seq()).isEqualTo(before.position().seq() + 1);
    assertThat(delta.tenants()).hasSize(500);
    assertThat(delta.rules()).isEmpty();
    assertThat(delta.overrides()).isEmpty();
    assertThat(delta.tokens()).isEmpty();
  }

  @Test
  default void deltasLeadToTheStateThatASnapshotShows() {
    ControlState state = new ControlState();
    state.apply(snapshot());
    for (int round = 0; round < 4; round++) {
      makeSomeOfEverything(round);
      if (round % 2 == 1) {
        stores().tenants().remove("a" + (round - 1), ALICE);
        KeyOverride old = stores().overrides().list(0, 100, false).get(0);
        stores().overrides().end(old.id(), ALICE);
        stores().killSwitches().off("rule/r" + round, ALICE);
      }
      state.apply((FeedUpdate.Delta) feed().read(state.position()));
    }
    assertThat(state.snapshot()).contains(snapshot());
  }

  @Test
  default void aReaderFromBeforeAPruneGetsASnapshot() {
    FeedUpdate.Snapshot old = snapshot();
    stores().tenants().put(List.of(new Tenant("gone", "free")), ALICE);
    stores().tenants().remove("gone", ALICE);
    FeedUpdate.Snapshot recent = snapshot();
    time().advance(Duration.ofDays(1));
    stores().changes().prune(database().now());
    stores().tenants().put(List.of(new Tenant("new", "free")), ALICE);

    assertThat(feed().read(Optional.of(old.position()))).isInstanceOf(FeedUpdate.Snapshot.class);
    assertThat(feed().read(Optional.of(recent.position()))).isInstanceOf(FeedUpdate.Delta.class);
  }

  @Test
  default void changesOfAKindThatThisReleaseDoesNotKnowAreSetAside() {
    FeedUpdate.Snapshot before = snapshot();
    stores().tenants().put(List.of(new Tenant("a", "free")), ALICE);
    tamper("update change set kinds = 'lanes,tenants' where seq = (select max(seq) from change)");

    FeedUpdate update = feed().read(Optional.of(before.position()));

    assertThat(((FeedUpdate.Delta) update).tenants()).hasSize(1);
  }

  @Test
  default void aVersionWhoseTextWasChangedInTheTableIsRefused() {
    FeedUpdate.Snapshot before = snapshot();
    publish("limit: 60/min");
    tamper("update version set files = '{\"rules.yaml\":\"limit: 6/min\"}' where number = 1");

    FeedUpdate update = feed().read(Optional.of(before.position()));

    assertThat(update).isInstanceOf(FeedUpdate.Refused.class);
    assertThat(((FeedUpdate.Refused) update).reason()).contains("version 1");
  }

  @Test
  default void aRestoredLogIsRefusedUntilAPersonAcceptsIt() {
    publish("one");
    FeedUpdate.Snapshot before = snapshot();
    // As a restore from a backup does: the last change is gone, and another one is made.
    tamper("delete from audit where seq = (select audit_seq from head)");
    tamper(
        "update head set audit_seq = audit_seq - 1,"
            + " audit_hash = (select hash from audit where seq = head.audit_seq - 1)");
    tamper("delete from rollout");
    tamper("delete from version");
    tamper("update active set rollout = 0");
    publish("another");
    assertThat(feed().read(Optional.of(before.position()))).isInstanceOf(FeedUpdate.Refused.class);

    stores().changes().accept(stores().audit().head().hash(), ALICE);

    FeedUpdate update = feed().read(Optional.of(before.position()));
    assertThat(update).isInstanceOf(FeedUpdate.Snapshot.class);
    assertThat(((FeedUpdate.Snapshot) update).rules().target().orElseThrow().files())
        .containsEntry("rules.yaml", "another");
  }

  @Test
  default void noChangeIsSkippedWhileManyAreMade() throws Exception {
    int writers = 4;
    int changes = 15;
    List<ControlStores> instances = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      instances.add(anotherInstance("writer-" + i));
    }
    ControlState state = new ControlState();
    state.apply(snapshot());
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int writer = 0; writer < writers; writer++) {
        ControlStores instance = instances.get(writer);
        String name = "w" + writer + "-";
        done.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < changes; i++) {
                    instance.tenants().put(List.of(new Tenant(name + i, "free")), ALICE);
                  }
                }));
      }
      while (!done.stream().allMatch(Future::isDone)) {
        follow(state);
      }
      for (Future<?> writer : done) {
        writer.get();
      }
    } finally {
      threads.shutdownNow();
    }
    follow(state);

    assertThat(state.snapshot().orElseThrow().tenants()).hasSize(writers * changes);
    assertThat(state.snapshot()).contains(snapshot());
  }

  private void follow(ControlState state) {
    FeedUpdate update = feed().read(state.position());
    if (update instanceof FeedUpdate.Delta delta) {
      state.apply(delta);
    } else {
      assertThat(update).isInstanceOf(FeedUpdate.Unchanged.class);
    }
  }

  private ChangeFeed feed() {
    return new ChangeFeed(database());
  }

  private FeedUpdate.Snapshot snapshot() {
    return (FeedUpdate.Snapshot) feed().read(Optional.empty());
  }

  private void makeSomeOfEverything(int round) {
    Instant now = database().now();
    Instant later = now.plusSeconds(600);
    KeyRef key = KeyRef.of(List.of("k" + round % 3)).withLabel("user=" + round % 3);
    publish("text " + round);
    stores().overrides().set("r", key, new Adjustment.Limit("", "5/s"), now, later, ALICE);
    stores().blocks().signal(Optional.empty(), key, Block.Effect.HALF, later, "waf", ALICE);
    stores().killSwitches().on("rule/r" + round, later, ALICE);
    stores().tokens().create(Role.ADMIN, "label " + round, Optional.of(later), ALICE);
    stores()
        .tenants()
        .put(List.of(new Tenant("a" + round, "free"), new Tenant("b", "tier" + round)), ALICE);
  }
}

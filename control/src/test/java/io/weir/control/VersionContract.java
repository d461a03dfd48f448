package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.audit.AuditEntry;
import io.weir.control.store.Active;
import io.weir.control.store.Draft;
import io.weir.control.store.PublishResult;
import io.weir.control.store.Rollout;
import io.weir.control.store.RolloutState;
import io.weir.control.store.RolloutStore;
import io.weir.control.store.Version;
import io.weir.control.store.VersionSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Versions and rollouts. */
interface VersionContract extends ContractHarness {
  @Test
  default void storesTheTextAsWritten() {
    Map<String, String> files = Map.of("a.yaml", "# comment é 漢 😀\r\n\tx: 1\n", "b.yaml", "");
    Draft draft = new Draft(new TreeMap<>(files), "{}", "2%", "careful", RolloutState.RUNNING);

    PublishResult result = stores().versions().publish(draft, 0, ALICE);

    assertThat(result).isInstanceOf(PublishResult.Published.class);
    Version stored = stores().versions().find(1).orElseThrow();
    assertThat(stored).isEqualTo(((PublishResult.Published) result).version());
    assertThat(stored.files()).isEqualTo(files);
    assertThat(stored.author()).isEqualTo("alice");
    assertThat(stored.message()).isEqualTo("because");
    assertThat(stored.created()).isEqualTo(database().now());
  }

  @Test
  default void refusesToPublishOverAVersionTheAuthorHasNotSeen() {
    publish("one");

    PublishResult result = stores().versions().publish(ContractHarness.draft("two"), 0, ALICE);

    assertThat(result).isEqualTo(new PublishResult.Conflict(1));
    assertThat(stores().versions().newest()).isEqualTo(1);
  }

  @Test
  default void textOfTheNewestVersionIsNoVersion() {
    publish("one");
    long entries = stores().audit().head().seq();

    PublishResult result = stores().versions().publish(ContractHarness.draft("one"), 1, ALICE);

    assertThat(result).isEqualTo(new PublishResult.Unchanged(1));
    assertThat(stores().audit().head().seq()).isEqualTo(entries);
  }

  @Test
  default void textThatWasRolledBackCanBePublishedAgain() {
    Rollout rollout = publish("one").rollout();
    String sha256 = stores().versions().find(1).orElseThrow().sha256();
    assertThat(stores().versions().isRolledBack(sha256)).isFalse();
    move(rollout, RolloutState.ROLLED_BACK);
    assertThat(stores().versions().isRolledBack(sha256)).isTrue();

    assertThat(publish("one").version().number()).isEqualTo(2);
    assertThat(stores().versions().isRolledBack(sha256)).isFalse();
  }

  @Test
  default void listsHistoryNewestFirst() {
    publish("one");
    publish("two");
    publish("three");

    assertThat(stores().versions().history(Long.MAX_VALUE, 2))
        .extracting(VersionSummary::number)
        .containsExactly(3L, 2L);
    assertThat(stores().versions().history(2, 10))
        .extracting(VersionSummary::number)
        .containsExactly(1L);
  }

  @Test
  default void aVersionIsInForceOnceItsRolloutIsDone() {
    Rollout first = publish("one").rollout();
    assertThat(stores().rollouts().active()).isEqualTo(new Active(0, first.id(), 1));

    move(first, RolloutState.DONE);

    assertThat(stores().rollouts().active()).isEqualTo(new Active(1, first.id(), 2));
    assertThat(publish("two").rollout().from()).isEqualTo(1);
  }

  @Test
  default void aPublishSupersedesARunningRollout() {
    move(publish("one").rollout(), RolloutState.DONE);
    Rollout second = publish("two").rollout();

    Rollout third = publish("three").rollout();

    assertThat(third.from()).isEqualTo(1);
    assertThat(stores().rollouts().find(second.id()).orElseThrow().state())
        .isEqualTo(RolloutState.SUPERSEDED);
    assertThat(stores().rollouts().list(Long.MAX_VALUE, 2))
        .extracting(Rollout::id)
        .containsExactly(third.id(), second.id());
  }

  @Test
  default void ofTwoTransitionsFromOneRevisionTheSecondIsStale() {
    Rollout rollout = publish("one").rollout();
    var next = new RolloutStore.Transition(1, RolloutState.RUNNING, "why", "{\"keys\":9}");

    var moved = stores().rollouts().move(rollout.id(), rollout.revision(), next, ALICE);
    var stale = stores().rollouts().move(rollout.id(), rollout.revision(), next, ALICE);

    assertThat(moved).isInstanceOf(RolloutStore.Result.Moved.class);
    Rollout now = ((RolloutStore.Result.Moved) moved).rollout();
    assertThat(now.step()).isEqualTo(1);
    assertThat(now.evidence()).isEqualTo("{\"keys\":9}");
    assertThat(stale).isEqualTo(new RolloutStore.Result.Stale(now));
    assertThat(stores().rollouts().move(99, 1, next, ALICE))
        .isEqualTo(new RolloutStore.Result.Unknown());
  }

  @Test
  default void anEndedRolloutDoesNotMove() {
    Rollout rollout = publish("one").rollout();
    Rollout done = move(rollout, RolloutState.DONE);

    var late = new RolloutStore.Transition(1, RolloutState.ROLLED_BACK, "", "");

    assertThat(stores().rollouts().move(done.id(), done.revision(), late, ALICE))
        .isInstanceOf(RolloutStore.Result.Stale.class);
    assertThat(stores().rollouts().active().version()).isEqualTo(1);
  }

  @Test
  default void ofEightConcurrentPublishersOneWins() throws Exception {
    int publishers = 8;
    List<ControlStores> instances = new ArrayList<>(List.of(stores()));
    for (int i = 1; i < publishers; i++) {
      instances.add(anotherInstance("instance-" + i));
    }
    long expected = publish("start").version().number();
    CountDownLatch start = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(publishers);
    try {
      List<Future<PublishResult>> results = new ArrayList<>();
      for (int i = 0; i < publishers; i++) {
        ControlStores instance = instances.get(i);
        Draft draft = ContractHarness.draft("text " + i);
        results.add(
            threads.submit(
                () -> {
                  start.await();
                  return instance.versions().publish(draft, expected, ALICE);
                }));
      }
      start.countDown();
      List<PublishResult> all = new ArrayList<>();
      for (Future<PublishResult> result : results) {
        all.add(result.get());
      }
      assertThat(all).filteredOn(it -> it instanceof PublishResult.Published).hasSize(1);
      assertThat(all)
          .filteredOn(it -> it instanceof PublishResult.Conflict)
          .hasSize(publishers - 1)
          .containsOnly(new PublishResult.Conflict(expected + 1));
    } finally {
      threads.shutdownNow();
    }
    assertThat(stores().audit().verify(List.of()).findings()).isEmpty();
    assertThat(stores().audit().after(0, 1000))
        .filteredOn(it -> it.record().action().equals(AuditEntry.RULES_PUBLISHED))
        .hasSize(2);
  }

  private Rollout move(Rollout rollout, RolloutState state) {
    var next = new RolloutStore.Transition(rollout.step(), state, "", "");
    var result = stores().rollouts().move(rollout.id(), rollout.revision(), next, ALICE);
    return ((RolloutStore.Result.Moved) result).rollout();
  }
}

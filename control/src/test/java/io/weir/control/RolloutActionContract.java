package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.rollout.RolloutOperations.Result;
import io.weir.control.store.Rollout;
import io.weir.control.store.RolloutState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What operators, outside judges and instances do to a rollout. */
interface RolloutActionContract extends ContractHarness {
  @Test
  default void operatorsAdvanceHoldAndResume() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    long id = fleet.publish("two", RolloutFleet.PLAN).id();
    fleet.pass(Duration.ofSeconds(5));

    assertThat(fleet.operations.resume(id, ALICE)).isInstanceOf(Result.NotNow.class);
    assertThat(fleet.operations.hold(id, ALICE)).isInstanceOf(Result.Moved.class);
    assertThat(fleet.operations.hold(id, ALICE)).isInstanceOf(Result.NotNow.class);
    fleet.pass(Duration.ofMinutes(10));
    assertThat(fleet.state()).isEqualTo("paused 0");
    assertThat(fleet.newest().reason()).isEqualTo("because");

    fleet.operations.resume(id, ALICE);
    fleet.pass(Duration.ofSeconds(55));
    assertThat(fleet.state()).isEqualTo("running 0");
    fleet.operations.advance(id, ALICE);
    assertThat(fleet.state()).isEqualTo("running 1");
    fleet.operations.advance(id, ALICE);
    assertThat(fleet.state()).isEqualTo("baking 2");
    fleet.operations.advance(id, ALICE);
    assertThat(fleet.state()).isEqualTo("done 2");

    assertThat(fleet.operations.advance(id, ALICE))
        .isEqualTo(new Result.NotNow(fleet.newest(), "it has ended"));
    assertThat(fleet.operations.advance(99, ALICE)).isEqualTo(new Result.Unknown());
    assertThat(fleet.moves()).allMatch(it -> it.startsWith("alice: ")).hasSize(5);
  }

  @Test
  default void operatorsAndOutsideJudgesRollBack() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    long second = fleet.publish("two", RolloutFleet.PLAN).id();
    fleet.operations.rollBack(second, ALICE);
    assertThat(fleet.state()).isEqualTo("rolled_back 0");
    assertThat(fleet.newest().reason()).isEqualTo("rolled back by alice: because");

    long third = fleet.publish("three", RolloutFleet.PLAN).id();
    assertThat(fleet.operations.approve(third, ALICE)).isInstanceOf(Result.Moved.class);
    assertThat(fleet.state()).isEqualTo("running 0");
    fleet.operations.reject(third, ALICE);
    assertThat(fleet.newest().reason()).isEqualTo("verdict of alice: because");
    assertThat(fleet.operations.approve(third, ALICE)).isInstanceOf(Result.NotNow.class);

    assertThat(fleet.restored).containsExactly("one instead of two", "one instead of three");
    assertThat(stores().audit().after(0, 1000))
        .filteredOn(it -> it.record().action().equals("rollout.verdict"))
        .singleElement()
        .satisfies(it -> assertThat(it.record().after()).isEqualTo("good"));
  }

  @Test
  default void aPausedRolloutStillGoesBackOnHarm() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    fleet.operations.hold(fleet.publish("two", RolloutFleet.PLAN).id(), ALICE);
    fleet.newlyRefused = 90;

    fleet.pass(Duration.ofSeconds(5));

    assertThat(fleet.state()).isEqualTo("rolled_back 0");
  }

  @Test
  default void aVetoRollsBackFromEveryStateButDone() {
    for (RolloutState from :
        List.of(
            RolloutState.RUNNING, RolloutState.HELD, RolloutState.PAUSED, RolloutState.BAKING)) {
      RolloutFleet fleet = new RolloutFleet(this);
      Rollout rollout = fleet.publish("before " + from, RolloutFleet.PLAN);
      bring(fleet, rollout.id(), from);
      assertThat(fleet.newest().state()).isEqualTo(from);
      stores().vetoes().report(rollout.id(), "b", "80 of 100 calls", database().now());

      fleet.driver.look();

      assertThat(fleet.newest().state()).isEqualTo(RolloutState.ROLLED_BACK);
      assertThat(fleet.newest().reason()).isEqualTo("veto of instance b: 80 of 100 calls");
    }
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    stores().vetoes().report(fleet.newest().id(), "b", "late", database().now());
    fleet.driver.look();
    assertThat(fleet.newest().state()).isEqualTo(RolloutState.DONE);
  }

  private static void bring(RolloutFleet fleet, long id, RolloutState state) {
    switch (state) {
      case HELD -> {
        fleet.activeKeys = 0;
        fleet.pass(Duration.ofMinutes(1));
      }
      case PAUSED -> fleet.operations.hold(id, ALICE);
      case BAKING -> {
        fleet.operations.advance(id, ALICE);
        fleet.operations.advance(id, ALICE);
      }
      default -> fleet.pass(Duration.ofSeconds(5));
    }
  }

  @Test
  default void resumeClearsVetoesUntilALaterOne() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    long id = fleet.publish("two", RolloutFleet.PLAN).id();
    fleet.operations.hold(id, ALICE);
    Instant first = database().now();
    stores().vetoes().report(id, "b", "first", first);

    fleet.operations.resume(id, ALICE);
    assertThat(stores().vetoes().find(id, "b").orElseThrow().cleared()).isTrue();
    stores().vetoes().report(id, "b", "first", first);
    fleet.pass(Duration.ofSeconds(5));
    assertThat(fleet.state()).isEqualTo("running 0");

    stores().vetoes().report(id, "b", "second", database().now());
    fleet.pass(Duration.ofSeconds(5));
    assertThat(fleet.newest().reason()).isEqualTo("veto of instance b: second");
  }

  @Test
  default void aPlanThatCannotBeReadPausesAndCanBeRolledBack() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    Rollout rollout = fleet.publish("two", RolloutFleet.PLAN);
    tamper("update rollout set plan = 'odd' where id = ?", rollout.id());
    fleet.pass(Duration.ofSeconds(10));

    assertThat(fleet.newest().reason()).startsWith("the plan cannot be read: plan: 'odd'");
    assertThat(fleet.moves()).hasSize(1);
    assertThat(fleet.operations.advance(rollout.id(), ALICE)).isInstanceOf(Result.NotNow.class);
    assertThat(fleet.operations.resume(rollout.id(), ALICE)).isInstanceOf(Result.NotNow.class);
    assertThat(fleet.operations.rollBack(rollout.id(), ALICE)).isInstanceOf(Result.Moved.class);
  }
}

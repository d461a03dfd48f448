package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.rollout.RolloutDriver;
import io.weir.control.rollout.RolloutOperations.Result;
import io.weir.control.rollout.evidence.RuleEvidence;
import io.weir.control.store.Rollout;
import io.weir.control.store.RolloutState;
import io.weir.control.store.RolloutStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The driver of rollouts. */
interface RolloutContract extends ContractHarness {
  @Test
  default void aCalmRolloutGoesThroughItsSteps() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    fleet.publish("two", RolloutFleet.PLAN);
    assertThat(fleet.state()).isEqualTo("running 0");

    fleet.pass(Duration.ofSeconds(55));
    assertThat(fleet.state()).isEqualTo("running 0");
    fleet.pass(Duration.ofSeconds(5));
    assertThat(fleet.state()).isEqualTo("running 1");
    fleet.pass(Duration.ofMinutes(1));
    assertThat(fleet.state()).isEqualTo("baking 2");
    assertThat(stores().rollouts().active().version()).isEqualTo(1);
    fleet.pass(Duration.ofMinutes(2));

    assertThat(fleet.state()).isEqualTo("done 2");
    assertThat(stores().rollouts().active().version()).isEqualTo(2);
    assertThat(fleet.newest().reason()).isEmpty();
    assertThat(fleet.newest().evidence())
        .contains("\"summary\":\"you expected 0 keys; it refused 0\"");
    assertThat(fleet.moves())
        .containsExactly("a: running step 1", "a: baking step 2", "a: done step 2");
    assertThat(fleet.restored).isEmpty();
    assertThat(fleet.driver.figures().driving()).isTrue();
    assertThat(fleet.driver.figures().isIn(RolloutState.DONE)).isTrue();
    assertThat(fleet.driver.figures().step()).isEqualTo(3);
  }

  @Test
  default void harmGoesBackAndSaysWhy() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    fleet.publish("two", RolloutFleet.PLAN, "{\"refused_keys\":\"2%\"}");
    fleet.pass(Duration.ofMinutes(1));
    fleet.newlyRefused = 60;

    fleet.pass(Duration.ofSeconds(5));

    assertThat(fleet.state()).isEqualTo("rolled_back 1");
    assertThat(fleet.newest().reason())
        .isEqualTo(
            "rule api: you expected 2 keys; it refused 60 of 100 active keys (600 of 2000 calls)"
                + " within 60 s");
    assertThat(fleet.newest().evidence()).contains("\"top_keys\":[{\"key\":\"0000000000\"");
    assertThat(stores().rollouts().active().version()).isEqualTo(1);
    assertThat(fleet.restored).containsExactly("one instead of two");
    assertThat(stores().samples().since(fleet.newest().id(), Instant.EPOCH)).isEmpty();
    assertThat(fleet.moves()).hasSize(2);
    assertThat(stores().audit().verify(List.of()).findings()).isEmpty();

    fleet.pass(Duration.ofMinutes(1));
    assertThat(fleet.moves()).hasSize(2);
    assertThat(fleet.restored).hasSize(1);
  }

  @Test
  default void nowIsInForceAtOnceAndItsBakeEndsWithoutTraffic() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    fleet.activeKeys = 0;
    fleet.publish("two", "now");
    assertThat(fleet.state()).isEqualTo("baking 0");

    fleet.pass(Duration.ofMinutes(10));

    assertThat(fleet.state()).isEqualTo("done 0");
    assertThat(fleet.newest().reason()).isEqualTo("not judged: no traffic: rule api");
  }

  @Test
  default void nowGoesBackOnHarm() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    fleet.publish("two", "now");
    fleet.newlyRefused = 100;

    fleet.pass(Duration.ofSeconds(5));

    assertThat(fleet.state()).isEqualTo("rolled_back 0");
  }

  @Test
  default void aHeldRolloutGoesOnWhenTheReasonIsGone() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    fleet.activeKeys = 0;
    fleet.publish("two", RolloutFleet.PLAN);
    fleet.pass(Duration.ofMinutes(2));
    assertThat(fleet.state()).isEqualTo("held 0");
    assertThat(fleet.newest().reason()).isEqualTo("no traffic: rule api");
    assertThat(fleet.driver.figures().isHeld()).isTrue();

    fleet.activeKeys = 3;
    fleet.pass(Duration.ofSeconds(20));
    assertThat(fleet.newest().reason()).startsWith("few keys: rule api: 0000000000, 0000000001");
    fleet.activeKeys = 50;
    fleet.refusedByOld = 20;
    fleet.pass(Duration.ofSeconds(20));
    assertThat(fleet.newest().reason()).startsWith("baseline already bad");
    assertThat(fleet.moves()).hasSize(3);

    fleet.refusedByOld = 0;
    fleet.pass(Duration.ofSeconds(5));
    assertThat(fleet.state()).isEqualTo("running 1");
    assertThat(fleet.newest().reason()).isEmpty();
  }

  @Test
  default void waitsForAnInstanceThatSendsNoEvidence() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    fleet.publish("two", RolloutFleet.PLAN);
    for (int i = 0; i < 12; i++) {
      fleet.heartbeat("slow");
      fleet.pass(Duration.ofSeconds(5));
    }
    assertThat(fleet.newest().reason()).isEqualTo("waiting: no evidence from slow");

    fleet.pass(Duration.ofSeconds(15));
    assertThat(fleet.state()).as("the silent instance is gone").isEqualTo("running 1");
  }

  @Test
  default void aLoosenedLimitGoesBackWhenTheUpstreamSuffers() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    fleet.publish("two", "now");
    fleet.pass(Duration.ofSeconds(5));
    fleet.complaint = Optional.of("upstream orders: 5xx 0.1% to 4.2%");

    fleet.pass(Duration.ofSeconds(5));

    assertThat(fleet.newest().reason()).isEqualTo("upstream orders: 5xx 0.1% to 4.2%");
    assertThat(fleet.state()).isEqualTo("rolled_back 0");
  }

  @Test
  default void aPublishDuringARolloutSupersedesIt() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    long second = fleet.publish("two", RolloutFleet.PLAN).id();
    fleet.pass(Duration.ofSeconds(65));
    assertThat(fleet.state()).isEqualTo("running 1");

    Rollout third = fleet.publish("three", RolloutFleet.PLAN);
    assertThat(third.from()).isEqualTo(1);
    fleet.pass(Duration.ofMinutes(4));

    assertThat(fleet.newest().id()).isEqualTo(third.id());
    assertThat(fleet.state()).isEqualTo("done 2");
    assertThat(stores().rollouts().find(second).orElseThrow().state())
        .isEqualTo(RolloutState.SUPERSEDED);
    assertThat(stores().samples().since(second, Instant.EPOCH)).isEmpty();
    assertThat(fleet.operations.advance(second, ALICE)).isInstanceOf(Result.NotNow.class);
  }

  @Test
  default void anotherInstanceGoesOnWhereADriverDied() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    RolloutDriver other = fleet.driver(anotherInstance("b"), "b");
    fleet.publish("two", RolloutFleet.PLAN);
    fleet.pass(Duration.ofSeconds(30));
    other.look();
    assertThat(other.figures().driving()).isFalse();

    // The first driver stops in the middle of the step, without releasing the lease.
    fleet.driver = other;
    fleet.pass(Duration.ofSeconds(10));
    assertThat(other.figures().driving()).isFalse();
    fleet.pass(Duration.ofSeconds(5));
    assertThat(other.figures().driving()).isTrue();
    fleet.pass(Duration.ofSeconds(15));
    assertThat(fleet.state()).as("the step's time counts from its start").isEqualTo("running 1");
    fleet.pass(Duration.ofMinutes(3));

    assertThat(fleet.state()).isEqualTo("done 2");
    assertThat(fleet.moves())
        .containsExactly("b: running step 1", "b: baking step 2", "b: done step 2");
  }

  @Test
  default void aTakeoverRestoresWhatADeadDriverRolledBack() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    Rollout rollout = fleet.publish("two", RolloutFleet.PLAN);
    var back = new RolloutStore.Transition(0, RolloutState.ROLLED_BACK, "", "");
    stores().rollouts().move(rollout.id(), rollout.revision(), back, ALICE);
    assertThat(fleet.restored).isEmpty();

    fleet.driver.look();

    assertThat(fleet.restored).containsExactly("one instead of two");
  }

  @Test
  default void twoDriversThatBothBelieveInTheirLeaseMoveARolloutOnce() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    RolloutDriver other = fleet.driver(anotherInstance("b"), "b");
    fleet.publish("two", RolloutFleet.PLAN);
    fleet.pass(Duration.ofSeconds(55));
    time().advance(Duration.ofSeconds(20));
    fleet.report("a");
    fleet.report("b");

    other.look();
    fleet.driver.look();

    assertThat(fleet.moves()).containsExactly("b: running step 1");
    fleet.driver.release();
    assertThat(stores().driver().holder().orElseThrow().holder()).isEqualTo("b");
  }

  @Test
  default void aSilentFleetIsNoSuccess() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    fleet.publish("two", RolloutFleet.PLAN);
    time().advance(Duration.ofMinutes(2));

    fleet.driver.look();

    assertThat(fleet.newest().reason()).isEqualTo("waiting: no evidence from any instance");
  }

  @Test
  default void aChangeInWhichNoRuleDiffersIsNotHeld() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    Rollout rollout = fleet.publish("two # comment", RolloutFleet.PLAN);
    time().advance(Duration.ofMinutes(1));
    fleet.heartbeat("a");
    String nothing = RuleEvidence.noRuleDiffers(0).encode();
    stores().samples().put(rollout.id(), "a", RuleEvidence.NO_RULE, nothing);

    fleet.driver.look();

    assertThat(fleet.state()).isEqualTo("running 1");
  }

  @Test
  default void damagedEvidenceIsNoEvidence() {
    RolloutFleet fleet = RolloutFleet.withVersionOne(this);
    Rollout rollout = fleet.publish("two", RolloutFleet.PLAN);
    fleet.pass(Duration.ofSeconds(55));
    time().advance(Duration.ofSeconds(5));
    fleet.report("a");
    fleet.heartbeat("b");
    stores().samples().put(rollout.id(), "b", RolloutFleet.RULE, "damaged");

    fleet.driver.look();

    assertThat(fleet.newest().reason()).isEqualTo("waiting: no evidence from b");
  }
}

package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.control.audit.AuditHead;
import io.weir.control.store.Instance;
import io.weir.control.whatif.CallRing;
import io.weir.control.whatif.CollectedRecording;
import io.weir.control.whatif.RecordingExchange;
import io.weir.control.whatif.RecordingSettings;
import io.weir.control.whatif.TrafficRecording;
import io.weir.control.whatif.ValueHash;
import io.weir.control.whatif.WhatIf;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Recordings on their way from instances to a what-if. */
interface RecordingContract extends ContractHarness {
  /** An instance that has reported, with the calls of one user. */
  private RecordingExchange exchange(ControlStores stores, String id, String user) {
    AuditHead head = new AuditHead("", 1, 0, "f".repeat(64));
    stores
        .instances()
        .heartbeat(
            new Instance(id, 0, Optional.empty(), "", 0, head, Duration.ZERO, Instant.EPOCH));
    CallRing ring = new CallRing(RecordingSettings.DEFAULT, ValueHash.of(new byte[] {1}), time());
    for (int i = 0; i < 10; i++) {
      ring.onDecision(Call.of("GET", "/").with("user", user), Decision.unlimited());
    }
    return new RecordingExchange(
        stores.recordings(),
        stores.instances(),
        stores.database(),
        id,
        Optional.of(ring),
        Runnable::run);
  }

  @Test
  default void aWhatIfCollectsTheRingsOfLiveInstances() {
    RecordingExchange own = exchange(stores(), "instance-0", "alice");
    RecordingExchange other = exchange(anotherInstance("b"), "b", "bob");
    own.start();
    other.start();
    CompletableFuture<CollectedRecording> collected = own.collect().toCompletableFuture();
    if (database().isShared()) {
      assertThat(collected).isNotDone();
      time().advance(Duration.ofMillis(1300));
    }

    // An embedded database has one instance, so there is no other to ask.
    int expected = database().isShared() ? 2 : 1;
    assertThat(collected).isCompleted();
    assertThat(collected.join().recording().callers()).isEqualTo(expected);
    assertThat(collected.join().recording().size()).isEqualTo(10 * expected);
    assertThat(collected.join().instances()).isEqualTo(expected);
    assertThat(collected.join().asked()).isEqualTo(expected);
    assertThat(stores().recordings().openRequests("x", Instant.EPOCH)).isEmpty();
    own.close();
    other.close();
  }

  @Test
  default void waitsThreeSecondsForInstancesThatDoNotAnswer() {
    RecordingExchange own = exchange(stores(), "instance-0", "alice");
    exchange(anotherInstance("b"), "b", "bob").close();
    CompletableFuture<CollectedRecording> collected = own.collect().toCompletableFuture();
    if (database().isShared()) {
      time().advance(Duration.ofMillis(2900));
      assertThat(collected).isNotDone();
      time().advance(Duration.ofMillis(300));
    }

    assertThat(collected).isCompleted();
    assertThat(collected.join().instances()).isEqualTo(1);
    assertThat(collected.join().asked()).isEqualTo(database().isShared() ? 2 : 1);
  }

  @Test
  default void anUnreadableRecordingIsLeftOut() {
    RecordingExchange own = exchange(stores(), "instance-0", "alice");
    exchange(anotherInstance("b"), "b", "bob").close();
    CompletableFuture<CollectedRecording> collected = own.collect().toCompletableFuture();
    for (String request : stores().recordings().openRequests("b", Instant.EPOCH)) {
      stores().recordings().answer(request, "b", new byte[] {1, 2, 3});
    }
    time().advance(Duration.ofSeconds(1));

    assertThat(collected).isCompleted();
    assertThat(collected.join().instances()).isEqualTo(1);
    assertThat(collected.join().recording().callers()).isEqualTo(1);
  }

  @Test
  default void recordsAndPredictsOnceTheDatabaseIsOpen() {
    TrafficRecording recording =
        new TrafficRecording(Optional.of(RecordingSettings.DEFAULT), time());
    RuleSet before = users(100);
    recording.rules(before);
    Call call = Call.of("GET", "/").with("user", "alice");
    recording.onDecision(call, Decision.unlimited());
    assertThat(recording.whatIf(before, users(5)).basis().calls()).isZero();
    assertThat(recording.suggestForRule("users").keys()).isZero();

    recording.start(
        database(),
        stores().recordings(),
        stores().instances(),
        stores().audit().head().log(),
        "instance-0",
        Runnable::run);
    for (int i = 0; i < 20; i++) {
      recording.onDecision(call, Decision.unlimited());
    }

    assertThat(recording.size()).isEqualTo(20);
    WhatIf outcome = recording.whatIf(before, users(5));
    assertThat(outcome.total().refused()).isEqualTo(new WhatIf.Change(15, 1));
    assertThat(outcome.basis().instances()).isEqualTo(1);
    assertThat(recording.suggestForRule("users").text()).isEqualTo("25/min");
    assertThat(recording.suggestForKey(List.of("user")).peaks().p50()).isEqualTo(20);
    recording.close();
    recording.onDecision(call, Decision.unlimited());
    assertThat(recording.size()).isZero();
  }

  private static RuleSet users(int perMinute) {
    return RuleSet.of(Rule.named("users").key("user").limit(Limit.perMinute(perMinute)).build());
  }
}

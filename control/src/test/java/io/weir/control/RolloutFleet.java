package io.weir.control;

import io.weir.control.audit.AuditEntry;
import io.weir.control.audit.AuditHead;
import io.weir.control.rollout.RolloutDriver;
import io.weir.control.rollout.RolloutOperations;
import io.weir.control.rollout.RuleRestorer;
import io.weir.control.rollout.UpstreamHealth;
import io.weir.control.rollout.evidence.KeyCounts;
import io.weir.control.rollout.evidence.RuleEvidence;
import io.weir.control.rollout.plan.RolloutPlan;
import io.weir.control.store.Draft;
import io.weir.control.store.Instance;
import io.weir.control.store.PublishResult;
import io.weir.control.store.Rollout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * Two instances that report, and the driver of one of them, in virtual time: every 5 s both send
 * evidence and the driver looks.
 */
final class RolloutFleet {
  static final String RULE = "api";
  static final String PLAN = "shadow 1min; 5% 1min; 100%; bake 2min";
  private static final Duration LOOK = Duration.ofSeconds(5);

  private final ContractHarness harness;
  final ControlStores stores;
  final RolloutOperations operations;
  final List<String> restored = new ArrayList<>();
  Optional<String> complaint = Optional.empty();
  RolloutDriver driver;
  int activeKeys = 100;
  int newlyRefused;
  int refusedByOld;

  RolloutFleet(ContractHarness harness) {
    this.harness = harness;
    this.stores = harness.stores();
    this.operations = new RolloutOperations(stores, restorer());
    this.driver = driver(stores, "a");
  }

  /** A fleet on which version 1, {@code one}, is in force. */
  static RolloutFleet withVersionOne(ContractHarness harness) {
    RolloutFleet fleet = new RolloutFleet(harness);
    fleet.publish("one", "100%");
    return fleet;
  }

  /** The driver of an instance; it remembers nothing of another one. */
  RolloutDriver driver(ControlStores its, String instance) {
    UpstreamHealth upstream = rollout -> complaint;
    return new RolloutDriver(its, instance, restorer(), upstream);
  }

  private RuleRestorer restorer() {
    return (rollout, from, refused) ->
        restored.add(
            from.map(it -> it.files().get("rules.yaml")).orElse("nothing")
                + " instead of "
                + refused.files().get("rules.yaml"));
  }

  Rollout publish(String text, String plan) {
    return publish(text, plan, "");
  }

  Rollout publish(String text, String plan, String expectation) {
    Draft draft =
        new Draft(
            new TreeMap<>(Map.of("rules.yaml", text)),
            "",
            expectation,
            plan,
            RolloutPlan.parse(plan).firstState());
    long newest = stores.versions().newest();
    PublishResult result = stores.versions().publish(draft, newest, ContractHarness.ALICE);
    return ((PublishResult.Published) result).rollout();
  }

  /** Lets time pass with both instances reporting and the driver looking every 5 s. */
  void pass(Duration time) {
    for (Duration left = time; !left.isZero(); left = left.minus(LOOK)) {
      harness.time().advance(LOOK);
      report("a");
      report("b");
      driver.look();
    }
  }

  void report(String instance) {
    heartbeat(instance);
    Rollout rollout = newest();
    if (!rollout.state().isEnd()) {
      stores.samples().put(rollout.id(), instance, RULE, evidence(rollout.step()).encode());
    }
  }

  void heartbeat(String instance) {
    AuditHead head = new AuditHead("", 1, 1, "0".repeat(64));
    stores
        .instances()
        .heartbeat(
            new Instance(
                instance,
                1,
                Optional.empty(),
                "",
                1,
                head,
                Duration.ZERO,
                stores.database().now()));
  }

  private RuleEvidence evidence(int step) {
    List<KeyCounts> keys = new ArrayList<>();
    for (int i = 0; i < activeKeys; i++) {
      boolean old = i >= activeKeys - refusedByOld;
      keys.add(new KeyCounts(i, 10, old ? 1 : 0, i < newlyRefused ? 5 : old ? 1 : 0));
    }
    List<Long> stepKeys = LongStream.range(0, Math.min(10, activeKeys)).boxed().toList();
    return new RuleEvidence(step, false, 1, RuleEvidence.ALL_KEYS, stepKeys, keys);
  }

  Rollout newest() {
    return stores.rollouts().find(stores.rollouts().active().rollout()).orElseThrow();
  }

  /** Such as {@code running 0}. */
  String state() {
    Rollout rollout = newest();
    return rollout.state().name().toLowerCase(Locale.ROOT) + " " + rollout.step();
  }

  /** The audit entries of rollouts, as {@code actor: state after}. */
  List<String> moves() {
    return stores.audit().after(0, 10_000).stream()
        .filter(it -> it.record().action().equals("rollout.moved"))
        .map(RolloutFleet::describe)
        .toList();
  }

  private static String describe(AuditEntry entry) {
    return entry.origin().actor() + ": " + entry.record().after();
  }
}

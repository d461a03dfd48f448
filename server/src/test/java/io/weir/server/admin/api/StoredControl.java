package io.weir.server.admin.api;

import io.weir.control.ControlStores;
import io.weir.control.audit.Origin;
import io.weir.control.database.DatabaseOpener;
import io.weir.control.store.Draft;
import io.weir.control.store.PublishResult;
import io.weir.control.store.Rollout;
import io.weir.control.store.RolloutState;
import io.weir.control.store.RolloutStore;
import io.weir.control.store.Version;
import io.weir.engine.Engine;
import io.weir.rule.RuleSet;
import io.weir.rules.LoadResult;
import io.weir.rules.RuleDocuments;
import io.weir.rules.diff.RuleDiff;
import io.weir.server.control.KillSwitchOperations;
import io.weir.server.control.RuleOperations;
import io.weir.server.control.StatusOperations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Rules of one document, rollouts without a driver and the pushed kill switch, in the database. */
final class StoredControl implements RuleOperations, StatusOperations, KillSwitchOperations {
  private final DatabaseOpener<ControlStores> database;
  private final Engine engine;
  private volatile String acceptedLog = "";

  StoredControl(DatabaseOpener<ControlStores> database, Engine engine) {
    this.database = database;
    this.engine = engine;
  }

  private ControlStores stores() {
    return database.get().orElseThrow();
  }

  @Override
  public PublishOutcome check(PublishRequest request) {
    Map.Entry<String, String> file = request.files().entrySet().iterator().next();
    LoadResult<RuleSet> loaded = RuleDocuments.parse(file.getKey(), file.getValue());
    if (loaded.value().isEmpty()) {
      return new PublishOutcome.Invalid(loaded.problems());
    }
    return new PublishOutcome.Checked(
        RuleDiff.between(engine.rules(), loaded.value().get()), "", loaded.problems());
  }

  @Override
  public PublishOutcome publish(PublishRequest request, Origin origin) {
    PublishOutcome checked = check(request);
    if (!(checked instanceof PublishOutcome.Checked valid)) {
      return checked;
    }
    if (request.intent().plan().equals("impossible")) {
      return new PublishOutcome.Refused("bad_plan", "there is no such plan", "{\"keys\":3}");
    }
    Draft draft =
        new Draft(
            request.files(),
            "",
            request
                .intent()
                .expectedRefusedKeys()
                .map(it -> "{\"refused_keys\":\"" + it + "\"}")
                .orElse(""),
            request.intent().plan(),
            RolloutState.BAKING);
    PublishResult result =
        stores().versions().publish(draft, request.expected().orElseThrow(), origin);
    if (result instanceof PublishResult.Published it) {
      return new PublishOutcome.Published(
          it.version(), it.rollout(), valid.changes(), "", valid.warnings());
    }
    return result instanceof PublishResult.Conflict conflict
        ? new PublishOutcome.Stale(conflict.newest())
        : new PublishOutcome.Unchanged(((PublishResult.Unchanged) result).version());
  }

  @Override
  public PublishOutcome republish(RepublishRequest request, Origin origin) {
    long number = request.version().orElse(stores().versions().newest() - 1);
    Optional<Version> version = stores().versions().find(number);
    if (version.isEmpty()) {
      return new PublishOutcome.UnknownVersion(number);
    }
    return publish(
        new PublishRequest(
            version.get().files(),
            false,
            request.intent(),
            java.util.OptionalLong.of(request.expected())),
        origin);
  }

  @Override
  public RolloutOutcome act(long id, RolloutAction action, Origin origin) {
    Optional<Rollout> found = stores().rollouts().find(id);
    if (found.isEmpty()) {
      return new RolloutOutcome.UnknownRollout();
    }
    Rollout rollout = found.get();
    RolloutState next =
        switch (action) {
          case ADVANCE, VERDICT_GOOD -> RolloutState.DONE;
          case HOLD -> RolloutState.PAUSED;
          case RESUME -> RolloutState.RUNNING;
          case ROLLBACK, VERDICT_BAD -> RolloutState.ROLLED_BACK;
        };
    RolloutStore.Result result =
        stores()
            .rollouts()
            .move(
                id,
                rollout.revision(),
                new RolloutStore.Transition(rollout.step(), next, origin.message(), "{\"keys\":9}"),
                origin);
    return result instanceof RolloutStore.Result.Moved moved
        ? new RolloutOutcome.Moved(moved.rollout())
        : new RolloutOutcome.NotNow(rollout, "the rollout has ended");
  }

  @Override
  public LocalStatus local() {
    return new LocalStatus(
        "api",
        database.unavailable(),
        "database",
        database.get().map(it -> it.versions().newest()).orElse(0L),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        false,
        Duration.ZERO,
        Optional.of(new Propagation(1, Duration.ofMillis(3), Duration.ofMillis(9))),
        List.of("a warning"));
  }

  @Override
  public void acceptLog(String hash) {
    acceptedLog = hash;
  }

  String acceptedLog() {
    return acceptedLog;
  }

  @Override
  public Result on(String scope, Instant until, Origin origin) {
    if (database.get().isEmpty()) {
      return unreached();
    }
    stores().killSwitches().on(scope, until, origin);
    return new Result(List.of(Road.PUSH), List.of(), active());
  }

  @Override
  public Result off(String scope, Origin origin) {
    if (database.get().isEmpty()) {
      return unreached();
    }
    stores().killSwitches().off(scope, origin);
    return new Result(List.of(Road.PUSH), List.of(), active());
  }

  private Result unreached() {
    return new Result(
        List.of(), List.of(new Unreached(Road.PUSH, database.unavailable().orElse(""))), List.of());
  }

  @Override
  public List<Active> active() {
    return database.get().map(it -> it.killSwitches().list()).orElse(List.of()).stream()
        .map(it -> new Active(it.scope(), Road.PUSH, it.until(), it.author(), it.message()))
        .toList();
  }
}

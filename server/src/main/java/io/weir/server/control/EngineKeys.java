package io.weir.server.control;

import io.weir.adjust.OverrideControl;
import io.weir.control.ControlStores;
import io.weir.control.audit.AuditRecord;
import io.weir.control.audit.Origin;
import io.weir.control.change.ChangeKind;
import io.weir.control.store.KeyRef;
import io.weir.engine.Engine;
import io.weir.engine.KeyView;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Looks at, resets and grants keys in the store that decides, and enters it into the audit log. */
final class EngineKeys implements KeyOperations {
  private final Engine engine;
  private final Supplier<Optional<ControlStores>> database;
  private final Executor executor;

  EngineKeys(Engine engine, Supplier<Optional<ControlStores>> database, Executor executor) {
    this.engine = engine;
    this.database = database;
    this.executor = executor;
  }

  @Override
  public CompletionStage<KeyResult> look(KeyId key) {
    return result(() -> engine.lookKey(key.rule(), key.values()));
  }

  @Override
  public CompletionStage<KeyResult> reset(KeyId key, Origin origin) {
    return result(() -> engine.resetKey(key.rule(), key.values()))
        .thenApplyAsync(result -> audited(result, key, "key.reset", "", origin), executor);
  }

  @Override
  public CompletionStage<KeyResult> grant(KeyId key, long tokens, Origin origin) {
    return result(() -> engine.grantKey(key.rule(), key.values(), tokens))
        .thenApplyAsync(
            result -> audited(result, key, "key.granted", Long.toString(tokens), origin), executor);
  }

  private KeyResult audited(
      KeyResult result, KeyId key, String action, String after, Origin origin) {
    if (result instanceof KeyResult.States) {
      String target = "key/" + key.rule() + "/" + KeyRef.of(key.values()).hash();
      database
          .get()
          .ifPresent(
              stores ->
                  stores
                      .changes()
                      .change(
                          origin,
                          change -> {
                            change.record(
                                ChangeKind.LOG, new AuditRecord(action, target, "", after));
                            return true;
                          }));
    }
    return result;
  }

  private static CompletionStage<KeyResult> result(Supplier<CompletionStage<KeyView>> work) {
    try {
      return work.get().thenApply(EngineKeys::states);
    } catch (NoSuchElementException e) {
      return CompletableFuture.completedFuture(new KeyResult.UnknownRule());
    } catch (IllegalArgumentException e) {
      return CompletableFuture.completedFuture(
          new KeyResult.NotApplicable(String.valueOf(e.getMessage())));
    }
  }

  private static KeyResult states(KeyView view) {
    Optional<String> override = view.override().map(OverrideControl::effect).map(Object::toString);
    if (view.limits().isEmpty()) {
      return new KeyResult.States(
          List.of(
              new KeyState(
                  "", "rate", Optional.empty(), 0, Duration.ZERO, override, view.blockedUntil())));
    }
    return new KeyResult.States(
        view.limits().stream()
            .map(
                it ->
                    new KeyState(
                        it.name(),
                        it.limit().kind().name().toLowerCase(Locale.ROOT),
                        Optional.of(it.limit().capacity()),
                        it.remaining(),
                        it.reset(),
                        override,
                        view.blockedUntil()))
            .toList());
  }
}

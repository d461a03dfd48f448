package io.weir.server.admin.api;

import io.weir.control.ControlStores;
import io.weir.control.audit.AuditRecord;
import io.weir.control.audit.Origin;
import io.weir.control.change.ChangeKind;
import io.weir.control.database.DatabaseOpener;
import io.weir.control.store.KeyRef;
import io.weir.engine.Engine;
import io.weir.engine.KeyView;
import io.weir.server.control.KeyOperations;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Keys of the engine, with an audit entry for each change. */
final class AuditedKeys implements KeyOperations {
  private final Engine engine;
  private final DatabaseOpener<ControlStores> database;

  AuditedKeys(Engine engine, DatabaseOpener<ControlStores> database) {
    this.engine = engine;
    this.database = database;
  }

  @Override
  public CompletionStage<KeyResult> look(KeyId key) {
    return engine.lookKey(key.rule(), key.values()).thenApply(AuditedKeys::states);
  }

  @Override
  public CompletionStage<KeyResult> reset(KeyId key, Origin origin) {
    return engine
        .resetKey(key.rule(), key.values())
        .thenApply(view -> audited(view, key, "key.reset", origin));
  }

  @Override
  public CompletionStage<KeyResult> grant(KeyId key, long tokens, Origin origin) {
    if (tokens > 1_000_000) {
      return CompletableFuture.completedFuture(new KeyResult.NotApplicable("too many tokens"));
    }
    return engine
        .grantKey(key.rule(), key.values(), tokens)
        .thenApply(view -> audited(view, key, "key.granted", origin));
  }

  private KeyResult audited(KeyView view, KeyId key, String action, Origin origin) {
    String target = "key/" + key.rule() + "/" + KeyRef.of(key.values()).hash();
    database
        .opened()
        .join()
        .changes()
        .change(
            origin,
            change -> {
              change.record(ChangeKind.LOG, new AuditRecord(action, target, "", ""));
              return true;
            });
    return states(view);
  }

  private static KeyResult states(KeyView view) {
    return new KeyResult.States(
        view.limits().stream()
            .map(
                it ->
                    new KeyState(
                        it.name(),
                        it.limit().kind().id(),
                        Optional.of(it.limit().capacity()),
                        it.remaining(),
                        it.reset(),
                        view.override().map(override -> override.effect().toString()),
                        view.blockedUntil()))
            .toList());
  }
}

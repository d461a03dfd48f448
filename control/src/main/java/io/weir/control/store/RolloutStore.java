package io.weir.control.store;

import io.weir.control.audit.AuditRecord;
import io.weir.control.audit.Origin;
import io.weir.control.change.Change;
import io.weir.control.change.ChangeKind;
import io.weir.control.change.ChangeLog;
import io.weir.control.database.Sql;
import io.weir.control.text.StorableText;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Rollouts and what is in force. Every transition names the revision it starts from. */
public final class RolloutStore {
  /** Where a rollout goes next. */
  public record Transition(int step, RolloutState state, String reason, String evidence) {
    public Transition {
      StorableText.require("reason", reason);
      StorableText.require("evidence", evidence);
    }
  }

  /** What became of a transition. */
  public sealed interface Result {
    record Moved(Rollout rollout) implements Result {}

    /** Another transition came first, or the rollout has ended; nothing was changed. */
    record Stale(Rollout rollout) implements Result {}

    record Unknown() implements Result {}
  }

  private final ChangeLog log;

  public RolloutStore(ChangeLog log) {
    this.log = log;
  }

  /**
   * Moves a rollout on if it is still at this revision. {@code DONE} puts its version in force for
   * good; {@code ROLLED_BACK} leaves the version before it in force.
   */
  public Result move(long id, long revision, Transition next, Origin origin) {
    return log.change(origin, change -> move(change, id, revision, next));
  }

  /** As {@link #move}, and clears the vetoes of instances. */
  public Result resume(long id, long revision, Transition next, Origin origin) {
    return log.change(
        origin,
        change -> {
          Result result = move(change, id, revision, next);
          if (result instanceof Result.Moved) {
            VetoStore.clear(change.sql(), id);
          }
          return result;
        });
  }

  private static Result move(Change change, long id, long revision, Transition next)
      throws SQLException {
    Sql sql = change.sql();
    Optional<Rollout> found = RolloutTable.find(sql, id);
    if (found.isEmpty()) {
      return new Result.Unknown();
    }
    Rollout old = found.get();
    if (old.revision() != revision || old.state().isEnd()) {
      return new Result.Stale(old);
    }
    Rollout now =
        RolloutTable.update(change, old, next.step(), next.state(), next.reason(), next.evidence());
    if (next.state() == RolloutState.DONE) {
      RolloutTable.setActive(sql, old.to(), id);
    }
    return new Result.Moved(now);
  }

  /** Enters what an outside judge found into the audit log; the rollout does not move. */
  public Result note(long id, String verdict, Origin origin) {
    return log.change(
        origin,
        change -> {
          Optional<Rollout> found = RolloutTable.find(change.sql(), id);
          if (found.isEmpty()) {
            return new Result.Unknown();
          }
          if (found.get().state().isEnd()) {
            return new Result.Stale(found.get());
          }
          change.record(
              ChangeKind.LOG, new AuditRecord("rollout.verdict", "rollout/" + id, "", verdict));
          return new Result.Moved(found.get());
        });
  }

  public Active active() {
    return log.database().read(RolloutStore::active);
  }

  /** What is in force, in a transaction of the caller. */
  public static Active active(Sql sql) throws SQLException {
    return RolloutTable.active(sql);
  }

  public Optional<Rollout> find(long id) {
    return log.database().read(sql -> RolloutTable.find(sql, id));
  }

  /** A rollout, in a transaction of the caller. */
  public static Optional<Rollout> find(Sql sql, long id) throws SQLException {
    return RolloutTable.find(sql, id);
  }

  /** Rollouts below an id, newest first, ended ones too. */
  public List<Rollout> list(long below, int count) {
    return log.database().read(sql -> RolloutTable.newest(sql, below, count));
  }
}

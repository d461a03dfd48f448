package io.weir.control.store;

import io.weir.control.audit.AuditRecord;
import io.weir.control.change.Change;
import io.weir.control.change.ChangeKind;
import io.weir.control.database.Row;
import io.weir.control.database.Sql;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The rows of {@code rollout} and {@code active}. Callers that write hold the head's lock. */
final class RolloutTable {
  private static final String COLUMNS =
      "id, from_version, to_version, plan, step, state, reason, evidence, revision, started,"
          + " entered, seq";

  private RolloutTable() {}

  /** Starts the rollout of a version; one that has not ended is superseded. */
  static Rollout start(Change change, long version, String plan, RolloutState state)
      throws SQLException {
    Sql sql = change.sql();
    Active active = active(sql);
    Optional<Rollout> running = find(sql, active.rollout()).filter(r -> !r.state().isEnd());
    if (running.isPresent()) {
      Rollout old = running.get();
      update(change, old, old.step(), RolloutState.SUPERSEDED, "version " + version, "");
    }
    Rollout rollout =
        new Rollout(
            active.rollout() + 1,
            active.version(),
            version,
            plan,
            0,
            state,
            "",
            "",
            1,
            change.now(),
            change.now(),
            change.seq());
    sql.update(
        "insert into rollout (" + COLUMNS + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rollout.id(),
        rollout.from(),
        rollout.to(),
        rollout.plan(),
        rollout.step(),
        rollout.state(),
        rollout.reason(),
        rollout.evidence(),
        rollout.revision(),
        rollout.started(),
        rollout.entered(),
        rollout.seq());
    setActive(sql, state == RolloutState.DONE ? version : active.version(), rollout.id());
    return rollout;
  }

  /** Moves a rollout on and records it. */
  static Rollout update(
      Change change, Rollout old, int step, RolloutState state, String reason, String evidence)
      throws SQLException {
    change
        .sql()
        .update(
            "update rollout set step = ?, state = ?, reason = ?, evidence = ?,"
                + " revision = revision + 1, entered = ?, seq = ? where id = ?",
            step,
            state,
            reason,
            evidence,
            change.now(),
            change.seq(),
            old.id());
    Rollout now = find(change.sql(), old.id()).orElseThrow();
    change.record(
        ChangeKind.RULES,
        new AuditRecord("rollout.moved", "rollout/" + old.id(), describe(old), describe(now)));
    return now;
  }

  private static String describe(Rollout rollout) {
    String text = rollout.state().name().toLowerCase(Locale.ROOT) + " step " + rollout.step();
    return rollout.reason().isEmpty() ? text : text + ": " + rollout.reason();
  }

  static void setActive(Sql sql, long version, long rollout) throws SQLException {
    sql.update(
        "update active set version = ?, rollout = ?, epoch = epoch + 1 where id = 1",
        version,
        rollout);
  }

  static Active active(Sql sql) throws SQLException {
    return sql.first(
            "select version, rollout, epoch from active where id = 1",
            row -> new Active(row.number("version"), row.number("rollout"), row.number("epoch")))
        .orElseThrow();
  }

  static Optional<Rollout> find(Sql sql, long id) throws SQLException {
    return sql.first("select " + COLUMNS + " from rollout where id = ?", RolloutTable::read, id);
  }

  static List<Rollout> newest(Sql sql, long below, int count) throws SQLException {
    return sql.list(
        "select " + COLUMNS + " from rollout where id < ? order by id desc limit " + count,
        RolloutTable::read,
        below);
  }

  private static Rollout read(Row row) throws SQLException {
    return new Rollout(
        row.number("id"),
        row.number("from_version"),
        row.number("to_version"),
        row.text("plan"),
        (int) row.number("step"),
        row.choice("state", RolloutState.class),
        row.text("reason"),
        row.text("evidence"),
        row.number("revision"),
        row.instant("started"),
        row.instant("entered"),
        row.number("seq"));
  }
}

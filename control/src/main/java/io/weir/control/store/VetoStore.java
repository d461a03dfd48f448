package io.weir.control.store;

import io.weir.control.database.Database;
import io.weir.control.database.Row;
import io.weir.control.database.Sql;
import io.weir.control.text.StorableText;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Vetoes of instances. Reports are plain writes; the driver's transition is the audited change. */
public final class VetoStore {
  /**
   * An instance that returned to the old version of a rollout by itself.
   *
   * @param reason the numbers, for people
   * @param at when it did so
   * @param cleared whether the rollout was resumed since; the instance then follows it again
   */
  public record Veto(long rollout, String instance, String reason, Instant at, boolean cleared) {
    public Veto {
      StorableText.require("reason", reason);
    }
  }

  private final Database database;

  public VetoStore(Database database) {
    this.database = database;
  }

  /**
   * Reports the veto of an instance. An instance may report it again and again: a veto that was
   * cleared stays cleared until a later one.
   */
  public void report(long rollout, String instance, String reason, Instant at) {
    Veto veto = new Veto(rollout, instance, reason, at, false);
    database.write(
        sql -> {
          int inserted =
              sql.update(
                  "insert into veto (rollout, instance, reason, at, cleared)"
                      + " values (?, ?, ?, ?, false) on conflict do nothing",
                  veto.rollout(),
                  veto.instance(),
                  veto.reason(),
                  veto.at());
          return inserted > 0
              ? inserted
              : sql.update(
                  "update veto set reason = ?, at = ?, cleared = false"
                      + " where rollout = ? and instance = ? and at < ?",
                  veto.reason(),
                  veto.at(),
                  veto.rollout(),
                  veto.instance(),
                  veto.at());
        });
  }

  /** The vetoes of a rollout that are not cleared, earliest first. */
  public List<Veto> open(long rollout) {
    return database.read(
        sql ->
            sql.list(
                "select * from veto where rollout = ? and cleared = false order by at, instance",
                VetoStore::read,
                rollout));
  }

  /** The last veto of an instance, cleared or not. */
  public Optional<Veto> find(long rollout, String instance) {
    return database.read(
        sql ->
            sql.first(
                "select * from veto where rollout = ? and instance = ?",
                VetoStore::read,
                rollout,
                instance));
  }

  /** Clears the vetoes of a rollout, in a transaction of the caller. */
  static void clear(Sql sql, long rollout) throws SQLException {
    sql.update("update veto set cleared = true where rollout = ?", rollout);
  }

  private static Veto read(Row row) throws SQLException {
    return new Veto(
        row.number("rollout"),
        row.text("instance"),
        row.text("reason"),
        row.instant("at"),
        row.flag("cleared"));
  }
}

package io.weir.control.change;

import io.weir.control.audit.AuditHead;
import io.weir.control.database.Row;
import io.weir.control.database.Sql;
import java.sql.SQLException;
import java.util.UUID;

/**
 * The one row that every change locks: the last sequence number and the end of the audit log.
 *
 * @param seq the sequence number of the last change
 * @param floor deltas are complete only since this sequence number; rows that mark earlier removals
 *     are gone
 */
public record Head(long seq, long floor, AuditHead audit) {
  private static final String SELECT =
      "select change_seq, change_floor, log_id, epoch, audit_seq, audit_hash from head where id ="
          + " 1";

  /** Makes the row of a new database, whose log gets an id of its own. */
  static void create(Sql sql) throws SQLException {
    sql.update(
        "insert into head (id, change_seq, change_floor, log_id, epoch, audit_seq, audit_hash)"
            + " values (1, 0, 0, ?, 1, 0, ?) on conflict do nothing",
        UUID.randomUUID().toString(),
        AuditHead.NO_HASH);
    sql.update(
        "insert into active (id, version, rollout, epoch) values (1, 0, 0, 0)"
            + " on conflict do nothing");
  }

  /** The row as this transaction sees it. */
  public static Head read(Sql sql) throws SQLException {
    return sql.first(SELECT, Head::of).orElseThrow(Head::missing);
  }

  /** Waits for the changes before this one and locks the row until the transaction ends. */
  static Head lock(Sql sql) throws SQLException {
    return sql.first(SELECT + " for update", Head::of).orElseThrow(Head::missing);
  }

  void write(Sql sql) throws SQLException {
    sql.update(
        "update head set change_seq = ?, change_floor = ?, epoch = ?, audit_seq = ?,"
            + " audit_hash = ? where id = 1",
        seq,
        floor,
        audit.epoch(),
        audit.seq(),
        audit.hash());
  }

  private static Head of(Row row) throws SQLException {
    return new Head(
        row.number("change_seq"),
        row.number("change_floor"),
        new AuditHead(
            row.text("log_id"),
            row.number("epoch"),
            row.number("audit_seq"),
            row.text("audit_hash")));
  }

  private static IllegalStateException missing() {
    return new IllegalStateException("the head row of the control database is missing");
  }
}

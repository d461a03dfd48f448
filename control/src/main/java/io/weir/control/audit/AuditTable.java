package io.weir.control.audit;

import io.weir.control.database.Row;
import io.weir.control.database.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** The rows of the audit log. A caller of {@link #append} holds the lock on the head row. */
public final class AuditTable {
  private static final String COLUMNS =
      "seq, epoch, at, actor, address, action, target, before_text, after_text, message,"
          + " correlation, previous_hash, hash, signer, signature";

  private AuditTable() {}

  /** Writes the entry after a head and returns it. */
  public static AuditEntry append(
      Sql sql, AuditHead head, Instant at, Origin origin, AuditRecord record, AuditKey key)
      throws SQLException {
    AuditEntry entry = AuditEntry.after(head, at, origin, record, key);
    insert(sql, entry);
    return entry;
  }

  /** Writes an entry as it is, such as one copied from another database. */
  public static void insert(Sql sql, AuditEntry entry) throws SQLException {
    sql.update(
        "insert into audit (" + COLUMNS + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        entry.seq(),
        entry.epoch(),
        entry.at(),
        entry.origin().actor(),
        entry.origin().address(),
        entry.record().action(),
        entry.record().target(),
        entry.record().before(),
        entry.record().after(),
        entry.origin().message(),
        entry.origin().correlation(),
        entry.previous(),
        entry.hash(),
        entry.signer(),
        entry.signature());
  }

  /** The entries with a sequence number from this one on, in order. */
  public static List<AuditEntry> from(Sql sql, long seq, int count) throws SQLException {
    return sql.list(
        "select " + COLUMNS + " from audit where seq >= ? order by seq limit " + count,
        AuditTable::read,
        seq);
  }

  /** The head as the head row has it. */
  public static AuditHead head(Sql sql) throws SQLException {
    return sql.first(
            "select log_id, epoch, audit_seq, audit_hash from head where id = 1",
            row ->
                new AuditHead(
                    row.text("log_id"),
                    row.number("epoch"),
                    row.number("audit_seq"),
                    row.text("audit_hash")))
        .orElseThrow();
  }

  /** The entries of one kind, in order. */
  public static List<AuditEntry> withAction(Sql sql, String action) throws SQLException {
    return sql.list(
        "select " + COLUMNS + " from audit where action = ? order by seq",
        AuditTable::read,
        action);
  }

  private static AuditEntry read(Row row) throws SQLException {
    return new AuditEntry(
        row.number("seq"),
        row.number("epoch"),
        row.instant("at"),
        new Origin(
            row.text("actor"), row.text("address"), row.text("message"), row.text("correlation")),
        new AuditRecord(
            row.text("action"),
            row.text("target"),
            row.text("before_text"),
            row.text("after_text")),
        row.text("previous_hash"),
        row.text("hash"),
        row.text("signer"),
        row.text("signature"));
  }
}

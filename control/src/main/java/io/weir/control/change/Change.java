package io.weir.control.change;

import io.weir.control.audit.AuditRecord;
import io.weir.control.database.Sql;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A change under way. Its transaction holds the lock on the head row, so the state it reads is that
 * of the last change, and no other change is made until it ends. Without a record nothing is
 * written: the transaction is rolled back.
 */
public final class Change {
  private final Sql sql;
  private final Head head;
  private final Instant now;
  private final String author;
  private final Set<ChangeKind> kinds = EnumSet.noneOf(ChangeKind.class);
  private final List<AuditRecord> records = new ArrayList<>();
  private long epoch;

  Change(Sql sql, Head head, Instant now, String author) {
    this.sql = sql;
    this.head = head;
    this.now = now;
    this.author = author;
    this.epoch = head.audit().epoch();
  }

  public Sql sql() {
    return sql;
  }

  /** The sequence number that every row of this change carries. */
  public long seq() {
    return head.seq() + 1;
  }

  public Instant now() {
    return now;
  }

  public String author() {
    return author;
  }

  /** The head before this change. */
  public Head head() {
    return head;
  }

  /** Enters what was done into the audit log. */
  public void record(ChangeKind kind, AuditRecord record) {
    kinds.add(kind);
    records.add(record);
  }

  /** Makes the entries of this change the first of a new epoch. */
  void raiseEpoch() {
    epoch++;
  }

  long epoch() {
    return epoch;
  }

  Set<ChangeKind> kinds() {
    return kinds;
  }

  List<AuditRecord> records() {
    return records;
  }
}

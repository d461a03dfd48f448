package io.weir.control.audit;

import io.weir.control.database.Database;
import java.util.Collection;
import java.util.List;

/** Reads the audit log and verifies it. Entries are appended by the change that they describe. */
public final class AuditLog {
  private static final int PAGE = 1000;

  private final Database database;

  public AuditLog(Database database) {
    this.database = database;
  }

  public AuditHead head() {
    return database.read(AuditTable::head);
  }

  /** Entries after a sequence number, oldest first. */
  public List<AuditEntry> after(long seq, int count) {
    return database.read(sql -> AuditTable.from(sql, seq + 1, count));
  }

  /**
   * Recomputes the whole chain.
   *
   * @param witnesses heads seen earlier, by instances or in an export
   */
  public AuditReport verify(Collection<AuditHead> witnesses) {
    return database.read(
        sql -> {
          AuditHead head = AuditTable.head(sql);
          AuditVerifier verifier = new AuditVerifier(head.log(), witnesses);
          long seq = Long.MIN_VALUE;
          List<AuditEntry> page;
          do {
            page = AuditTable.from(sql, seq, PAGE);
            page.forEach(verifier::add);
            seq = page.isEmpty() ? seq : page.get(page.size() - 1).seq() + 1;
          } while (page.size() == PAGE);
          return verifier.finish(head);
        });
  }
}

package io.weir.control.change;

import io.weir.control.audit.AuditEntry;
import io.weir.control.audit.AuditHead;
import io.weir.control.audit.AuditKey;
import io.weir.control.audit.AuditRecord;
import io.weir.control.audit.AuditTable;
import io.weir.control.audit.Origin;
import io.weir.control.database.Database;
import io.weir.control.database.DatabaseSettings;
import io.weir.control.database.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * Makes changes one after the other: each is one transaction with a sequence number, its audit
 * entries and, on PostgreSQL, a notification.
 *
 * <p>The lock on the head row orders all changes of all instances. A change therefore commits
 * before the next one gets its number, and a reader that has seen number N has seen all before it.
 */
public final class ChangeLog {
  /** The channel of notifications on PostgreSQL; the payload is {@code version:sequence}. */
  public static final String CHANNEL = "weir_control";

  /** The body of a change. */
  @FunctionalInterface
  public interface Body<T> {
    T run(Change change) throws SQLException;
  }

  private final Database database;
  private final AuditKey key;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  private ChangeLog(Database database, AuditKey key) {
    this.database = database;
    this.key = key;
  }

  /** Opens the log of a database and enters the public key of this instance once. */
  public static ChangeLog open(Database database, AuditKey key, String instance) {
    database.write(
        sql -> {
          Head.create(sql);
          return true;
        });
    ChangeLog log = new ChangeLog(database, key);
    log.enterKey(instance);
    return log;
  }

  private void enterKey(String instance) {
    String target = "key/" + key.id();
    change(
        Origin.process(instance, "first start with this key"),
        change -> {
          boolean known =
              change
                      .sql()
                      .number(
                          "select count(*) from audit where action = ? and target = ?",
                          AuditEntry.KEY_ADDED,
                          target)
                      .orElse(0)
                  > 0;
          if (!known) {
            change.record(
                ChangeKind.LOG,
                new AuditRecord(AuditEntry.KEY_ADDED, target, "", key.open().text()));
          }
          return known;
        });
  }

  public Database database() {
    return database;
  }

  /** Calls a listener after each change of this process; never for changes of other instances. */
  public AutoCloseable onCommit(Runnable listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /**
   * Makes a change. A body that records nothing changes nothing: what it wrote is rolled back.
   *
   * @throws io.weir.control.database.DatabaseUnavailableException if the database cannot be
   *     reached; whether the change was made is then unknown
   */
  public <T> T change(Origin origin, Body<T> body) {
    Outcome<T> outcome = database.write(sql -> run(sql, origin, body));
    if (outcome.changed()) {
      listeners.forEach(Runnable::run);
    }
    return outcome.result();
  }

  private record Outcome<T>(T result, boolean changed) {}

  private <T> Outcome<T> run(Sql sql, Origin origin, Body<T> body) throws SQLException {
    Head head = Head.lock(sql);
    Change change = new Change(sql, head, database.now(), origin.actor());
    T result = body.run(change);
    if (change.records().isEmpty()) {
      sql.rollBack();
      return new Outcome<>(result, false);
    }
    AuditHead audit = head.audit();
    audit = new AuditHead(audit.log(), change.epoch(), audit.seq(), audit.hash());
    for (AuditRecord record : change.records()) {
      audit = AuditTable.append(sql, audit, change.now(), origin, record, key).head(audit.log());
    }
    new Head(change.seq(), head.floor(), audit).write(sql);
    sql.update(
        "insert into change (seq, kinds, audit_seq, at) values (?, ?, ?, ?)",
        change.seq(),
        names(change.kinds()),
        audit.seq(),
        change.now());
    if (database.settings() instanceof DatabaseSettings.Postgres) {
      long version = sql.number("select max(number) from version").orElse(0);
      sql.call("select pg_notify(?, ?)", CHANNEL, version + ":" + change.seq());
    }
    return new Outcome<>(result, true);
  }

  private static String names(Set<ChangeKind> kinds) {
    return kinds.stream()
        .map(kind -> kind.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(","));
  }

  /**
   * Deletes rows that only mark removals, and notes of changes, from before a moment. Readers that
   * have seen nothing since then need a snapshot.
   */
  public void prune(Instant before) {
    database.write(
        sql -> {
          Head head = Head.lock(sql);
          long floor =
              sql.number("select max(seq) from change where at < ?", before).orElse(head.floor());
          sql.update("delete from change where seq <= ?", floor);
          sql.update("delete from tenant where removed = true and seq <= ?", floor);
          sql.update("delete from killswitch where removed = true and seq <= ?", floor);
          new Head(head.seq(), Math.max(head.floor(), floor), head.audit()).write(sql);
          return floor;
        });
  }

  /** What became of a request to accept the log. */
  public sealed interface Acceptance {
    /** A new epoch has started. */
    record Accepted(long epoch) implements Acceptance {}

    /** The log has another head than the person has seen; nothing was changed. */
    record OtherHead(AuditHead head) implements Acceptance {}
  }

  /**
   * Accepts the log as it is, on behalf of a person: a new epoch starts, and instances whose memory
   * this log does not continue take a fresh snapshot.
   *
   * @param hash the hash of the head that the person has seen
   */
  public Acceptance accept(String hash, Origin origin) {
    return change(
        origin,
        change -> {
          AuditHead head = change.head().audit();
          if (!head.hash().equals(hash)) {
            return new Acceptance.OtherHead(head);
          }
          long epoch = head.epoch() + 1;
          change.raiseEpoch();
          change.record(
              ChangeKind.LOG,
              new AuditRecord(
                  AuditEntry.LOG_ACCEPTED,
                  "log/" + head.log(),
                  Long.toString(head.epoch()),
                  Long.toString(epoch)));
          return new Acceptance.Accepted(epoch);
        });
  }
}

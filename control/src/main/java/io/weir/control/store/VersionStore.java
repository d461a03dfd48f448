package io.weir.control.store;

import io.weir.control.audit.AuditEntry;
import io.weir.control.audit.AuditRecord;
import io.weir.control.audit.Origin;
import io.weir.control.change.Change;
import io.weir.control.change.ChangeKind;
import io.weir.control.change.ChangeLog;
import io.weir.control.database.Row;
import io.weir.control.database.Sql;
import io.weir.control.text.TextMapCodec;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The versions of the rules, numbered from 1 without gaps. */
public final class VersionStore {
  private static final String SUMMARY = "number, parent, sha256, author, message, created";
  private static final String ALL = SUMMARY + ", files, what_if, expectation, seq";

  private final ChangeLog log;

  public VersionStore(ChangeLog log) {
    this.log = log;
  }

  /**
   * Stores a version and starts its rollout, which supersedes a rollout that has not ended.
   *
   * @param expected the newest version that the author has seen; 0 if there was none
   */
  public PublishResult publish(Draft draft, long expected, Origin origin) {
    return log.change(origin, change -> publish(draft, expected, origin, change));
  }

  private static PublishResult publish(Draft draft, long expected, Origin origin, Change change)
      throws SQLException {
    Sql sql = change.sql();
    long newest = newest(sql);
    if (newest != expected) {
      return new PublishResult.Conflict(newest);
    }
    String sha256 = TextMapCodec.sha256(draft.files());
    String before = sha256Of(sql, newest).orElse("");
    if (sha256.equals(before) && !isRolledBack(sql, newest)) {
      return new PublishResult.Unchanged(newest);
    }
    Version version =
        new Version(
            newest + 1,
            newest,
            draft.files(),
            sha256,
            change.author(),
            origin.message(),
            draft.whatIf(),
            draft.expectation(),
            change.now(),
            change.seq());
    insert(sql, version);
    change.record(
        ChangeKind.RULES,
        new AuditRecord(AuditEntry.RULES_PUBLISHED, "version/" + version.number(), before, sha256));
    return new PublishResult.Published(
        version, RolloutTable.start(change, version.number(), draft.plan(), draft.state()));
  }

  static void insert(Sql sql, Version version) throws SQLException {
    sql.update(
        "insert into version (" + ALL + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        version.number(),
        version.parent(),
        version.sha256(),
        version.author(),
        version.message(),
        version.created(),
        TextMapCodec.write(version.files()),
        version.whatIf(),
        version.expectation(),
        version.seq());
  }

  /** The number of the newest version; 0 if there is none. */
  public long newest() {
    return log.database().read(VersionStore::newest);
  }

  static long newest(Sql sql) throws SQLException {
    return sql.number("select max(number) from version").orElse(0);
  }

  public Optional<Version> find(long number) {
    return log.database().read(sql -> find(sql, number));
  }

  /** A version, in a transaction of the caller. */
  public static Optional<Version> find(Sql sql, long number) throws SQLException {
    return sql.first(
        "select " + ALL + " from version where number = ?", VersionStore::read, number);
  }

  /** Versions below a number, newest first. */
  public List<VersionSummary> history(long below, int count) {
    return log.database()
        .read(
            sql ->
                sql.list(
                    "select "
                        + SUMMARY
                        + " from version where number < ? order by number desc limit "
                        + count,
                    VersionStore::readSummary,
                    below));
  }

  /** Whether the newest version with this text has been rolled back. */
  public boolean isRolledBack(String sha256) {
    return log.database()
        .read(
            sql -> {
              long number =
                  sql.number("select max(number) from version where sha256 = ?", sha256).orElse(0);
              return isRolledBack(sql, number);
            });
  }

  private static boolean isRolledBack(Sql sql, long number) throws SQLException {
    return sql.number(
                "select count(*) from rollout where to_version = ? and state = ?",
                number,
                RolloutState.ROLLED_BACK)
            .orElse(0)
        > 0;
  }

  private static Optional<String> sha256Of(Sql sql, long number) throws SQLException {
    return sql.first(
        "select sha256 from version where number = ?", row -> row.text("sha256"), number);
  }

  private static VersionSummary readSummary(Row row) throws SQLException {
    return new VersionSummary(
        row.number("number"),
        row.number("parent"),
        row.text("sha256"),
        row.text("author"),
        row.text("message"),
        row.instant("created"));
  }

  private static Version read(Row row) throws SQLException {
    return new Version(
        row.number("number"),
        row.number("parent"),
        TextMapCodec.read(row.text("files")),
        row.text("sha256"),
        row.text("author"),
        row.text("message"),
        row.text("what_if"),
        row.text("expectation"),
        row.instant("created"),
        row.number("seq"));
  }
}

package io.weir.control.store;

import io.weir.control.audit.AuditRecord;
import io.weir.control.audit.Origin;
import io.weir.control.change.ChangeKind;
import io.weir.control.change.ChangeLog;
import io.weir.control.database.Row;
import io.weir.control.database.Sql;
import io.weir.control.text.StorableText;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** Kill switches that are pushed; one per scope. */
public final class KillSwitchStore {
  private static final String COLUMNS = "scope, until, message, author, created, removed, seq";

  private static final int MAX_SCOPE = 300;

  private final ChangeLog log;

  public KillSwitchStore(ChangeLog log) {
    this.log = log;
  }

  /** Turns the switch of a scope on until a time. */
  public KillSwitch on(String scope, Instant until, Origin origin) {
    StorableText.require("scope", scope, MAX_SCOPE);
    return log.change(
        origin,
        change -> {
          Sql sql = change.sql();
          KillSwitch next =
              new KillSwitch(scope, until, origin.message(), change.author(), change.now());
          sql.update("delete from killswitch where scope = ?", scope);
          sql.update(
              "insert into killswitch (" + COLUMNS + ") values (?, ?, ?, ?, ?, false, ?)",
              scope,
              until,
              next.message(),
              next.author(),
              next.created(),
              change.seq());
          change.record(
              ChangeKind.KILLSWITCH,
              new AuditRecord("killswitch.on", "killswitch/" + scope, "", "until " + until));
          return next;
        });
  }

  /** Turns the switch of a scope off; false if it was not on. */
  public boolean off(String scope, Origin origin) {
    return log.change(
        origin,
        change -> {
          boolean on =
              change
                      .sql()
                      .update(
                          "update killswitch set removed = true, seq = ?"
                              + " where scope = ? and removed = false and until > ?",
                          change.seq(),
                          scope,
                          change.now())
                  > 0;
          if (on) {
            change.record(
                ChangeKind.KILLSWITCH,
                new AuditRecord("killswitch.off", "killswitch/" + scope, "on", "off"));
          }
          return on;
        });
  }

  /**
   * Marks switches whose time is over as off, with an audit entry each.
   *
   * @return how many
   */
  public int expire(Origin origin) {
    Instant now = log.database().now();
    if (log.database().read(sql -> expired(sql, now)).isEmpty()) {
      return 0;
    }
    return log.change(
        origin,
        change -> {
          List<KillSwitch> expired = expired(change.sql(), now);
          for (KillSwitch it : expired) {
            change
                .sql()
                .update(
                    "update killswitch set removed = true, seq = ? where scope = ?",
                    change.seq(),
                    it.scope());
            change.record(
                ChangeKind.KILLSWITCH,
                new AuditRecord(
                    "killswitch.expired", "killswitch/" + it.scope(), "until " + it.until(), ""));
          }
          return expired.size();
        });
  }

  private static List<KillSwitch> expired(Sql sql, Instant now) throws SQLException {
    return sql.list(
        "select "
            + COLUMNS
            + " from killswitch where removed = false and until <= ? order by scope",
        KillSwitchStore::read,
        now);
  }

  /** Those that are on. */
  public List<KillSwitch> list() {
    Instant now = log.database().now();
    return log.database().read(sql -> unexpired(sql, now));
  }

  /** Those that are on at a moment, in a transaction of the caller. */
  public static List<KillSwitch> unexpired(Sql sql, Instant now) throws SQLException {
    return sql.list(
        "select " + COLUMNS + " from killswitch where removed = false and until > ? order by scope",
        KillSwitchStore::read,
        now);
  }

  private static KillSwitch read(Row row) throws SQLException {
    return new KillSwitch(
        row.text("scope"),
        row.instant("until"),
        row.text("message"),
        row.text("author"),
        row.instant("created"));
  }
}

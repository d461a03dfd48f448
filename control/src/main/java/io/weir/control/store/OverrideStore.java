package io.weir.control.store;

import io.weir.control.audit.AuditRecord;
import io.weir.control.audit.Origin;
import io.weir.control.change.ChangeKind;
import io.weir.control.change.ChangeLog;
import io.weir.control.database.Row;
import io.weir.control.database.RowIds;
import io.weir.control.database.Sql;
import io.weir.control.text.StorableText;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Overrides: one per rule and key, the later replaces the earlier; every one expires. */
public final class OverrideStore {
  private static final String COLUMNS =
      "id, rule_id, key_hash, key_hash64, key_label, limit_name, limit_text, factor, unlimited, reason,"
          + " author, created, starts, expires, last_used, live, seq";

  private static final int MAX_RULE = 256;

  private final ChangeLog log;

  public OverrideStore(ChangeLog log) {
    this.log = log;
  }

  /**
   * Sets the override of a rule and key.
   *
   * @throws IllegalArgumentException if it would end before it starts, or has ended already
   */
  public KeyOverride set(
      String rule,
      KeyRef key,
      Adjustment adjustment,
      Instant starts,
      Instant expires,
      Origin origin) {
    StorableText.require("rule", rule, MAX_RULE);
    return log.change(
        origin,
        change -> {
          Sql sql = change.sql();
          if (!expires.isAfter(starts) || !expires.isAfter(change.now())) {
            throw new IllegalArgumentException("expires must be after the start and the present");
          }
          Optional<KeyOverride> old = live(sql, rule, key);
          if (old.isPresent()) {
            end(sql, old.get().id(), change.seq());
          }
          KeyOverride next =
              new KeyOverride(
                  RowIds.next(sql, "override"),
                  rule,
                  key,
                  adjustment,
                  origin.message(),
                  change.author(),
                  change.now(),
                  starts,
                  expires,
                  Optional.empty(),
                  true,
                  change.seq());
          insert(sql, next);
          change.record(
              ChangeKind.OVERRIDES,
              new AuditRecord(
                  "override.set",
                  target(next),
                  old.map(OverrideStore::describe).orElse(""),
                  describe(next)));
          return next;
        });
  }

  /** Ends an override before its time; empty if there is no live one with this id. */
  public Optional<KeyOverride> end(long id, Origin origin) {
    return log.change(
        origin,
        change -> {
          Optional<KeyOverride> old = find(change.sql(), id).filter(KeyOverride::live);
          if (old.isPresent()) {
            end(change.sql(), id, change.seq());
            change.record(
                ChangeKind.OVERRIDES,
                new AuditRecord("override.ended", target(old.get()), describe(old.get()), ""));
          }
          return old;
        });
  }

  /**
   * Marks overrides whose time is over as ended, with an audit entry each. They had no effect any
   * more: instances end them by themselves.
   *
   * @return how many, at most {@code most}
   */
  public int expire(int most, Origin origin) {
    Instant now = log.database().now();
    if (log.database().read(sql -> expired(sql, now, 1)).isEmpty()) {
      return 0;
    }
    return log.change(
        origin,
        change -> {
          List<KeyOverride> expired = expired(change.sql(), now, most);
          for (KeyOverride it : expired) {
            end(change.sql(), it.id(), change.seq());
            change.record(
                ChangeKind.OVERRIDES,
                new AuditRecord("override.expired", target(it), describe(it), ""));
          }
          return expired.size();
        });
  }

  private static List<KeyOverride> expired(Sql sql, Instant now, int most) throws SQLException {
    return sql.list(
        "select "
            + COLUMNS
            + " from override where live = 1 and expires <= ? order by expires, id limit "
            + most,
        OverrideStore::read,
        now);
  }

  public Optional<KeyOverride> find(long id) {
    return log.database().read(sql -> find(sql, id));
  }

  /** Overrides above an id, oldest first: all of them, or those in force or to come. */
  public List<KeyOverride> list(long above, int count, boolean ended) {
    Instant now = log.database().now();
    return log.database()
        .read(
            sql ->
                sql.list(
                    "select "
                        + COLUMNS
                        + " from override where id > ?"
                        + (ended ? "" : " and live = 1 and expires > ?")
                        + " order by id limit "
                        + count,
                    OverrideStore::read,
                    ended ? new Object[] {above} : new Object[] {above, now}));
  }

  /** Notes when overrides were last used, by id; not a change of its own. */
  public void touch(Map<Long, Instant> used) {
    RowIds.touch(log.database(), "override", used);
  }

  /** Those that are live and not expired at a moment, in a transaction of the caller. */
  public static List<KeyOverride> unexpired(Sql sql, Instant now) throws SQLException {
    return sql.list(
        "select " + COLUMNS + " from override where live = 1 and expires > ? order by id",
        OverrideStore::read,
        now);
  }

  /** Those changed after a sequence number, ended ones too, in a transaction of the caller. */
  public static List<KeyOverride> changedSince(Sql sql, long seq) throws SQLException {
    return sql.list(
        "select " + COLUMNS + " from override where seq > ? order by seq, id",
        OverrideStore::read,
        seq);
  }

  private static Optional<KeyOverride> find(Sql sql, long id) throws SQLException {
    return sql.first("select " + COLUMNS + " from override where id = ?", OverrideStore::read, id);
  }

  private static Optional<KeyOverride> live(Sql sql, String rule, KeyRef key) throws SQLException {
    return sql.first(
        "select " + COLUMNS + " from override where rule_id = ? and key_hash = ? and live = 1",
        OverrideStore::read,
        rule,
        key.hash());
  }

  private static void end(Sql sql, long id, long seq) throws SQLException {
    sql.update("update override set live = null, seq = ? where id = ?", seq, id);
  }

  private static void insert(Sql sql, KeyOverride it) throws SQLException {
    Adjustment adjustment = it.adjustment();
    Optional<Adjustment.Limit> limit =
        adjustment instanceof Adjustment.Limit some ? Optional.of(some) : Optional.empty();
    Optional<Double> factor =
        adjustment instanceof Adjustment.Factor some
            ? Optional.of(some.factor())
            : Optional.empty();
    sql.update(
        "insert into override (id, rule_id, key_hash, key_hash64, key_label, limit_name,"
            + " limit_text, factor, unlimited, reason, author, created, starts, expires, live,"
            + " seq) values (?, ?, ?, ?, ?, ?, cast(? as varchar), cast(? as double precision), ?, ?, ?,"
            + " ?, ?, ?, 1, ?)",
        it.id(),
        it.rule(),
        it.key().hash(),
        it.key().hash64(),
        it.key().label(),
        limit.map(Adjustment.Limit::name).orElse(""),
        limit.map(Adjustment.Limit::text),
        factor,
        adjustment instanceof Adjustment.Unlimited,
        it.reason(),
        it.author(),
        it.created(),
        it.starts(),
        it.expires(),
        it.seq());
  }

  private static String target(KeyOverride it) {
    return "override/" + it.rule() + "/" + it.key().hash();
  }

  private static String describe(KeyOverride it) {
    return it.adjustment() + " from " + it.starts() + " until " + it.expires();
  }

  private static KeyOverride read(Row row) throws SQLException {
    return new KeyOverride(
        row.number("id"),
        row.text("rule_id"),
        new KeyRef(row.text("key_hash"), row.number("key_hash64"), row.optionalText("key_label")),
        adjustment(row),
        row.text("reason"),
        row.text("author"),
        row.instant("created"),
        row.instant("starts"),
        row.instant("expires"),
        row.optionalInstant("last_used"),
        row.number("live") == 1,
        row.number("seq"));
  }

  private static Adjustment adjustment(Row row) throws SQLException {
    if (row.flag("unlimited")) {
      return new Adjustment.Unlimited();
    }
    var factor = row.decimal("factor");
    return factor.isPresent()
        ? new Adjustment.Factor(factor.getAsDouble())
        : new Adjustment.Limit(row.text("limit_name"), row.text("limit_text"));
  }
}

package io.weir.control.store;

import io.weir.control.audit.AuditRecord;
import io.weir.control.audit.Origin;
import io.weir.control.change.Change;
import io.weir.control.change.ChangeKind;
import io.weir.control.change.ChangeLog;
import io.weir.control.database.Row;
import io.weir.control.database.Sql;
import io.weir.control.text.Digest;
import io.weir.control.text.TextMapCodec;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Tenants and their tiers. A removed tenant stays as a marked row until the change log is pruned,
 * so that deltas show its removal.
 */
public final class TenantStore {
  /** A row of a delta. */
  public record TenantChange(Tenant tenant, boolean removed) {}

  /** Receives rows one by one, so that a million need not be in memory twice. */
  @FunctionalInterface
  public interface Sink {
    void accept(TenantChange change);
  }

  private static final String COLUMNS = "id, tier, numbers, removed, seq";
  private static final int PAGE = 10_000;

  private final ChangeLog log;

  public TenantStore(ChangeLog log) {
    this.log = log;
  }

  /** Sets tenants in one transaction with one audit entry; a later row of the same id wins. */
  public int put(Collection<Tenant> tenants, Origin origin) {
    Map<String, Tenant> distinct = new TreeMap<>();
    tenants.forEach(tenant -> distinct.put(tenant.id(), tenant));
    return log.change(origin, change -> put(change, distinct));
  }

  private static int put(Change change, Map<String, Tenant> tenants) throws SQLException {
    if (tenants.isEmpty()) {
      return 0;
    }
    Sql sql = change.sql();
    Optional<Tenant> before =
        tenants.size() == 1 ? find(sql, tenants.keySet().iterator().next()) : Optional.empty();
    List<Object[]> updates = new ArrayList<>();
    for (Tenant tenant : tenants.values()) {
      String numbers = TextMapCodec.write(tenant.numbers());
      updates.add(
          new Object[] {
            tenant.tier(), numbers, false, change.author(), change.now(), change.seq(), tenant.id()
          });
    }
    int[] updated =
        sql.batch(
            "update tenant set tier = ?, numbers = ?, removed = ?, author = ?, updated = ?,"
                + " seq = ? where id = ?",
            updates);
    List<Object[]> inserts = new ArrayList<>();
    for (int i = 0; i < updated.length; i++) {
      if (updated[i] == 0) {
        inserts.add(updates.get(i));
      }
    }
    sql.batch(
        "insert into tenant (tier, numbers, removed, author, updated, seq, id)"
            + " values (?, ?, ?, ?, ?, ?, ?)",
        inserts);
    change.record(
        ChangeKind.TENANTS,
        tenants.size() == 1
            ? single(before, tenants.values().iterator().next())
            : new AuditRecord(
                "tenants.imported", "tenants/" + tenants.size(), "", digest(tenants.values())));
    return tenants.size();
  }

  private static AuditRecord single(Optional<Tenant> before, Tenant after) {
    return new AuditRecord(
        "tenant.set",
        "tenant/" + after.id(),
        before.map(TenantStore::describe).orElse(""),
        describe(after));
  }

  private static String digest(Collection<Tenant> tenants) {
    Digest digest = new Digest();
    tenants.forEach(tenant -> digest.add(tenant.id()).add(describe(tenant)));
    return digest.hex();
  }

  private static String describe(Tenant tenant) {
    return tenant.tier() + (tenant.numbers().isEmpty() ? "" : " " + tenant.numbers());
  }

  /** Removes a tenant; false if there is none with this id. */
  public boolean remove(String id, Origin origin) {
    return log.change(
        origin,
        change -> {
          Optional<Tenant> old = find(change.sql(), id);
          if (old.isPresent()) {
            change
                .sql()
                .update(
                    "update tenant set removed = true, author = ?, updated = ?, seq = ?"
                        + " where id = ?",
                    change.author(),
                    change.now(),
                    change.seq(),
                    id);
            change.record(
                ChangeKind.TENANTS,
                new AuditRecord("tenant.removed", "tenant/" + id, describe(old.get()), ""));
          }
          return old.isPresent();
        });
  }

  public Optional<Tenant> find(String id) {
    return log.database().read(sql -> find(sql, id));
  }

  private static Optional<Tenant> find(Sql sql, String id) throws SQLException {
    return sql.first(
        "select " + COLUMNS + " from tenant where id = ? and removed = false",
        row -> read(row).tenant(),
        id);
  }

  /** Tenants after an id, in the order of ids. */
  public List<Tenant> list(String after, int count) {
    return log.database()
        .read(
            sql ->
                sql.list(
                    "select "
                        + COLUMNS
                        + " from tenant where id > ? and removed = false order by id limit "
                        + count,
                    row -> read(row).tenant(),
                    after));
  }

  /** How many tenants use each tier. */
  public Map<String, Long> countByTier() {
    return log.database()
        .read(
            sql -> {
              Map<String, Long> counts = new TreeMap<>();
              sql.list(
                  "select tier, count(*) as tenants from tenant where removed = false"
                      + " group by tier",
                  row -> counts.put(row.text("tier"), row.number("tenants")));
              return counts;
            });
  }

  /** Hands over all tenants, page by page, in a transaction of the caller. */
  public static void all(Sql sql, Sink sink) throws SQLException {
    String after = "";
    List<TenantChange> page;
    do {
      page =
          sql.list(
              "select "
                  + COLUMNS
                  + " from tenant where id > ? and removed = false order by id limit "
                  + PAGE,
              TenantStore::read,
              after);
      page.forEach(sink::accept);
      after = page.isEmpty() ? after : page.get(page.size() - 1).tenant().id();
    } while (page.size() == PAGE);
  }

  /** Hands over tenants changed after a sequence number, in a transaction of the caller. */
  public static void changedSince(Sql sql, long seq, Sink sink) throws SQLException {
    record Cursor(long seq, String id) {}
    Cursor[] cursor = {new Cursor(seq + 1, "")};
    List<TenantChange> page;
    do {
      Cursor at = cursor[0];
      page =
          sql.list(
              "select "
                  + COLUMNS
                  + " from tenant where seq > ? or (seq = ? and id > ?) order by seq, id limit "
                  + PAGE,
              row -> {
                cursor[0] = new Cursor(row.number("seq"), row.text("id"));
                return read(row);
              },
              at.seq(),
              at.seq(),
              at.id());
      page.forEach(sink::accept);
    } while (page.size() == PAGE);
  }

  private static TenantChange read(Row row) throws SQLException {
    // A million rows have a handful of tiers.
    String tier = row.text("tier").intern();
    return new TenantChange(
        new Tenant(row.text("id"), tier, TextMapCodec.read(row.text("numbers"))),
        row.flag("removed"));
  }
}

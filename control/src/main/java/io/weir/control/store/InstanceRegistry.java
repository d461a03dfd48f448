package io.weir.control.store;

import io.weir.control.audit.AuditHead;
import io.weir.control.database.Database;
import io.weir.control.database.Row;
import io.weir.control.database.Upsert;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The instances of the fleet. Heartbeats are plain updates: no audit entry, no notification. */
public final class InstanceRegistry {
  private final Database database;

  public InstanceRegistry(Database database) {
    this.database = database;
  }

  /** Writes what an instance reports; {@code lastSeen} is the present moment. */
  public void heartbeat(Instance it) {
    Object[] row = {
      it.version(),
      it.appliedAt(),
      it.rejected(),
      it.seq(),
      it.audit().epoch(),
      it.audit().seq(),
      it.audit().hash(),
      it.clockOffset().toMillis(),
      database.now(),
      it.id()
    };
    database.write(
        sql ->
            Upsert.run(
                sql,
                "update instance set version = ?, applied_at = cast(? as timestamp with time"
                    + " zone), rejected = ?, change_seq = ?, audit_epoch = ?, audit_seq = ?,"
                    + " audit_hash = ?, clock_offset_ms = ?, last_seen = ? where id = ?",
                "insert into instance (version, applied_at, rejected, change_seq, audit_epoch,"
                    + " audit_seq, audit_hash, clock_offset_ms, last_seen, id) values (?,"
                    + " cast(? as timestamp with time zone), ?, ?, ?, ?, ?, ?, ?, ?)"
                    + " on conflict do nothing",
                row));
  }

  /** Instances that have reported since a moment. */
  public List<Instance> seenSince(Instant moment) {
    return database.read(
        sql ->
            sql.list(
                "select * from instance where last_seen >= ? order by id",
                InstanceRegistry::read,
                moment));
  }

  /** Forgets an instance that stops. */
  public void leave(String id) {
    database.write(sql -> sql.update("delete from instance where id = ?", id));
  }

  /** Forgets instances that have not reported since a moment. */
  public int forgetBefore(Instant moment) {
    return database.write(sql -> sql.update("delete from instance where last_seen < ?", moment));
  }

  private static Instance read(Row row) throws SQLException {
    return new Instance(
        row.text("id"),
        row.number("version"),
        row.optionalInstant("applied_at"),
        row.text("rejected"),
        row.number("change_seq"),
        new AuditHead(
            "", row.number("audit_epoch"), row.number("audit_seq"), row.text("audit_hash")),
        Duration.ofMillis(row.number("clock_offset_ms")),
        row.instant("last_seen"));
  }
}

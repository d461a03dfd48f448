package io.weir.control.store;

import io.weir.control.database.Database;
import io.weir.control.database.Upsert;
import io.weir.control.text.StorableText;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/** Samples on their way from instances to the driver; the newest of an instance and rule counts. */
public final class SampleStore {
  /** The largest body, in bytes of UTF-8. */
  public static final int MAX_BYTES = 10_240;

  private final Database database;

  public SampleStore(Database database) {
    this.database = database;
  }

  /**
   * Writes the sample of an instance and rule instead of the one before.
   *
   * @throws IllegalArgumentException if the body is larger than {@link #MAX_BYTES}
   */
  public void put(long rollout, String instance, String rule, String body) {
    StorableText.require("sample", body);
    if (body.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
      throw new IllegalArgumentException("a sample has at most " + MAX_BYTES + " bytes");
    }
    Instant now = database.now();
    database.write(
        sql ->
            Upsert.run(
                sql,
                "update sample set body = ?, at = ?"
                    + " where rollout = ? and instance = ? and rule_id = ?",
                "insert into sample (body, at, rollout, instance, rule_id)"
                    + " values (?, ?, ?, ?, ?) on conflict do nothing",
                body,
                now,
                rollout,
                instance,
                rule));
  }

  /** The samples of a rollout that are not older than a moment. */
  public List<Sample> since(long rollout, Instant moment) {
    return database.read(
        sql ->
            sql.list(
                "select * from sample where rollout = ? and at >= ? order by rule_id, instance",
                row ->
                    new Sample(
                        row.number("rollout"),
                        row.text("instance"),
                        row.text("rule_id"),
                        row.text("body"),
                        row.instant("at")),
                rollout,
                moment));
  }

  /** Deletes the samples of a rollout that has ended. */
  public void delete(long rollout) {
    database.write(sql -> sql.update("delete from sample where rollout = ?", rollout));
  }

  /** Deletes the samples of all rollouts before this one. */
  public void deleteBefore(long rollout) {
    database.write(sql -> sql.update("delete from sample where rollout < ?", rollout));
  }
}

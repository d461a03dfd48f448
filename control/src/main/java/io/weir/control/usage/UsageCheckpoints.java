package io.weir.control.usage;

import io.weir.control.database.Database;
import io.weir.control.database.Row;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Checkpoints of quota usage, from which counts are restored after the counter store lost them.
 * Several instances write the same rows: the highest generation wins, then the largest count.
 */
public final class UsageCheckpoints {
  /** The most checkpoints that one flush writes. */
  public static final int MAX_FLUSH = 10_000;

  /** The most keys that one query asks for. */
  public static final int MAX_KEYS = 500;

  private static final Comparator<Checkpoint> LOCK_ORDER =
      Comparator.comparing(Checkpoint::rule)
          .thenComparing(Checkpoint::limit)
          .thenComparing(Checkpoint::key)
          .thenComparing(Checkpoint::period)
          .thenComparing(Checkpoint::cell);

  private static final String WHERE_ROW =
      " where rule_id = ? and limit_name = ? and key_hash = ? and period = ? and cell = ?";

  private final Database database;

  public UsageCheckpoints(Database database) {
    this.database = database;
  }

  /**
   * Merges checkpoints into the table, as one transaction.
   *
   * @throws IllegalArgumentException for more than {@link #MAX_FLUSH}
   */
  public void merge(Collection<Checkpoint> checkpoints) {
    if (checkpoints.size() > MAX_FLUSH) {
      throw new IllegalArgumentException("at most " + MAX_FLUSH + " checkpoints a flush");
    }
    // One order for all instances, so that two flushes cannot deadlock.
    List<Checkpoint> sorted = checkpoints.stream().sorted(LOCK_ORDER).toList();
    Instant now = database.now();
    List<Object[]> inserts = new ArrayList<>();
    List<Object[]> updates = new ArrayList<>();
    for (Checkpoint it : sorted) {
      inserts.add(
          new Object[] {
            it.rule(), it.limit(), it.key(), it.period(), it.cell(), it.generation(), it.used(), now
          });
      updates.add(
          new Object[] {
            it.generation(),
            it.used(),
            now,
            it.rule(),
            it.limit(),
            it.key(),
            it.period(),
            it.cell(),
            it.generation(),
            it.generation(),
            it.used()
          });
    }
    database.write(
        sql -> {
          sql.batch(
              "insert into usage (rule_id, limit_name, key_hash, period, cell, generation, used,"
                  + " updated) values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
              inserts);
          return sql.batch(
              "update usage set generation = ?, used = ?, updated = ?"
                  + WHERE_ROW
                  + " and (generation < ? or (generation = ? and used < ?))",
              updates);
        });
  }

  public Optional<Checkpoint> find(
      String rule, String limit, String key, Instant period, String cell) {
    return database.read(
        sql ->
            sql.first(
                "select * from usage" + WHERE_ROW,
                UsageCheckpoints::read,
                rule,
                limit,
                key,
                period,
                cell));
  }

  /**
   * The checkpoints of these keys of a rule, for all limits, periods and cells.
   *
   * @throws IllegalArgumentException for more than {@link #MAX_KEYS}
   */
  public List<Checkpoint> find(String rule, Collection<String> keys) {
    if (keys.size() > MAX_KEYS) {
      throw new IllegalArgumentException("at most " + MAX_KEYS + " keys a query");
    }
    if (keys.isEmpty()) {
      return List.of();
    }
    List<Object> arguments = new ArrayList<>(keys);
    arguments.add(0, rule);
    return database.read(
        sql ->
            sql.list(
                "select * from usage where rule_id = ? and key_hash in (?"
                    + ", ?".repeat(keys.size() - 1)
                    + ")",
                UsageCheckpoints::read,
                arguments.toArray()));
  }

  /** The checkpoints of a rule for periods that started at or after a moment, largest first. */
  public List<Checkpoint> load(String rule, Instant since, int count) {
    return database.read(
        sql ->
            sql.list(
                "select * from usage where rule_id = ? and period >= ?"
                    + " order by used desc, key_hash limit "
                    + count,
                UsageCheckpoints::read,
                rule,
                since));
  }

  /**
   * Starts a new generation with this count, as {@code reset} and {@code grant} do.
   *
   * @return the checkpoint as it is now
   */
  public Checkpoint restart(
      String rule, String limit, String key, Instant period, String cell, long used) {
    Instant now = database.now();
    return database.write(
        sql -> {
          sql.update(
              "insert into usage (rule_id, limit_name, key_hash, period, cell, generation, used,"
                  + " updated) values (?, ?, ?, ?, ?, 0, 0, ?) on conflict do nothing",
              rule,
              limit,
              key,
              period,
              cell,
              now);
          sql.update(
              "update usage set generation = generation + 1, used = ?, updated = ?" + WHERE_ROW,
              used,
              now,
              rule,
              limit,
              key,
              period,
              cell);
          return sql.first(
                  "select * from usage" + WHERE_ROW,
                  UsageCheckpoints::read,
                  rule,
                  limit,
                  key,
                  period,
                  cell)
              .orElseThrow();
        });
  }

  /** Deletes checkpoints that were last written before a moment. */
  public int forgetBefore(Instant moment) {
    return database.write(sql -> sql.update("delete from usage where updated < ?", moment));
  }

  private static Checkpoint read(Row row) throws SQLException {
    return new Checkpoint(
        row.text("rule_id"),
        row.text("limit_name"),
        row.text("key_hash"),
        row.instant("period"),
        row.text("cell"),
        row.number("generation"),
        row.number("used"));
  }
}

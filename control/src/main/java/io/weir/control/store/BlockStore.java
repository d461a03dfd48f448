package io.weir.control.store;

import io.weir.control.audit.AuditRecord;
import io.weir.control.audit.Origin;
import io.weir.control.change.Change;
import io.weir.control.change.ChangeKind;
import io.weir.control.change.ChangeLog;
import io.weir.control.database.Row;
import io.weir.control.database.RowIds;
import io.weir.control.database.Sql;
import io.weir.control.text.StorableText;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Blocks by operators and signals by outside systems; the newest of each kind counts. */
public final class BlockStore {
  /** Stands for all rules; no rule has this id. */
  private static final String ALL_RULES = "*";

  private static final int MAX_RULE = 256;
  private static final int MAX_SOURCE = 200;

  private static final String COLUMNS =
      "id, rule_id, key_hash, key_hash64, key_label, effect, origin, until, reason, source, author,"
          + " created, live, seq";

  private final ChangeLog log;

  public BlockStore(ChangeLog log) {
    this.log = log;
  }

  /** Refuses a key of one rule, or of all, until a time. */
  public Block block(Optional<String> rule, KeyRef key, Instant until, Origin origin) {
    return put(rule, key, Block.Effect.REFUSE, Block.Kind.OPERATOR, until, "", origin);
  }

  /** Takes a signal of an outside system; it replaces an earlier one for the same rule and key. */
  public Block signal(
      Optional<String> rule,
      KeyRef key,
      Block.Effect effect,
      Instant until,
      String source,
      Origin origin) {
    return put(rule, key, effect, Block.Kind.SIGNAL, until, source, origin);
  }

  private Block put(
      Optional<String> rule,
      KeyRef key,
      Block.Effect effect,
      Block.Kind kind,
      Instant until,
      String source,
      Origin origin) {
    StorableText.require("source", source, MAX_SOURCE);
    rule.ifPresent(it -> StorableText.require("rule", it, MAX_RULE));
    return log.change(
        origin,
        change -> {
          if (!until.isAfter(change.now())) {
            throw new IllegalArgumentException("until must be in the future");
          }
          Optional<Block> old = live(change.sql(), rule, key, kind);
          if (old.isPresent()) {
            end(change, old.get());
          }
          Block next =
              new Block(
                  RowIds.next(change.sql(), "block"),
                  rule,
                  key,
                  effect,
                  kind,
                  until,
                  origin.message(),
                  source,
                  change.author(),
                  change.now(),
                  true,
                  change.seq());
          insert(change.sql(), next);
          record(change, next, "set", old.map(BlockStore::describe).orElse(""), describe(next));
          return next;
        });
  }

  /** Lifts the block of a key; empty if there is none. */
  public Optional<Block> unblock(Optional<String> rule, KeyRef key, Origin origin) {
    return lift(rule, key, Block.Kind.OPERATOR, origin);
  }

  /** Lifts the signal of a key; empty if there is none. */
  public Optional<Block> clearSignal(Optional<String> rule, KeyRef key, Origin origin) {
    return lift(rule, key, Block.Kind.SIGNAL, origin);
  }

  private Optional<Block> lift(Optional<String> rule, KeyRef key, Block.Kind kind, Origin origin) {
    return log.change(
        origin,
        change -> {
          Optional<Block> old = live(change.sql(), rule, key, kind);
          if (old.isPresent()) {
            end(change, old.get());
            record(change, old.get(), "lifted", describe(old.get()), "");
          }
          return old;
        });
  }

  /**
   * Marks blocks and signals whose time is over as ended, with an audit entry each. They had no
   * effect any more: instances end them by themselves.
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
          List<Block> expired = expired(change.sql(), now, most);
          for (Block it : expired) {
            end(change, it);
            record(change, it, "expired", describe(it), "");
          }
          return expired.size();
        });
  }

  private static List<Block> expired(Sql sql, Instant now, int most) throws SQLException {
    return sql.list(
        "select "
            + COLUMNS
            + " from block where live = 1 and until <= ? order by until, id limit "
            + most,
        BlockStore::read,
        now);
  }

  /** Blocks and signals above an id: all of them, or those in force. */
  public List<Block> list(long above, int count, boolean ended) {
    Instant now = log.database().now();
    return log.database()
        .read(
            sql ->
                sql.list(
                    "select "
                        + COLUMNS
                        + " from block where id > ?"
                        + (ended ? "" : " and live = 1 and until > ?")
                        + " order by id limit "
                        + count,
                    BlockStore::read,
                    ended ? new Object[] {above} : new Object[] {above, now}));
  }

  /** Those in force at a moment, in a transaction of the caller. */
  public static List<Block> unexpired(Sql sql, Instant now) throws SQLException {
    return sql.list(
        "select " + COLUMNS + " from block where live = 1 and until > ? order by id",
        BlockStore::read,
        now);
  }

  /** Those changed after a sequence number, ended ones too, in a transaction of the caller. */
  public static List<Block> changedSince(Sql sql, long seq) throws SQLException {
    return sql.list(
        "select " + COLUMNS + " from block where seq > ? order by seq, id", BlockStore::read, seq);
  }

  private static Optional<Block> live(Sql sql, Optional<String> rule, KeyRef key, Block.Kind kind)
      throws SQLException {
    return sql.first(
        "select "
            + COLUMNS
            + " from block where rule_id = ? and key_hash = ? and origin = ? and live = 1",
        BlockStore::read,
        rule.orElse(ALL_RULES),
        key.hash(),
        kind);
  }

  private static void end(Change change, Block block) throws SQLException {
    change
        .sql()
        .update("update block set live = null, seq = ? where id = ?", change.seq(), block.id());
  }

  private static void insert(Sql sql, Block it) throws SQLException {
    sql.update(
        "insert into block (" + COLUMNS + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)",
        it.id(),
        it.rule().orElse(ALL_RULES),
        it.key().hash(),
        it.key().hash64(),
        it.key().label(),
        it.effect(),
        it.kind(),
        it.until(),
        it.reason(),
        it.source(),
        it.author(),
        it.created(),
        it.seq());
  }

  private static void record(Change change, Block block, String verb, String before, String after) {
    String noun = block.kind() == Block.Kind.OPERATOR ? "block" : "signal";
    String target = noun + "/" + block.rule().orElse(ALL_RULES) + "/" + block.key().hash();
    change.record(ChangeKind.BLOCKS, new AuditRecord(noun + "." + verb, target, before, after));
  }

  private static String describe(Block it) {
    return it.effect().name().toLowerCase(Locale.ROOT) + " until " + it.until();
  }

  private static Block read(Row row) throws SQLException {
    String rule = row.text("rule_id");
    return new Block(
        row.number("id"),
        rule.equals(ALL_RULES) ? Optional.empty() : Optional.of(rule),
        new KeyRef(row.text("key_hash"), row.number("key_hash64"), row.optionalText("key_label")),
        row.choice("effect", Block.Effect.class),
        row.choice("origin", Block.Kind.class),
        row.instant("until"),
        row.text("reason"),
        row.text("source"),
        row.text("author"),
        row.instant("created"),
        row.number("live") == 1,
        row.number("seq"));
  }
}

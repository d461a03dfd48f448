package io.weir.control.usage;

import io.weir.base.KeyEncoding;
import io.weir.control.database.DatabaseException;
import io.weir.control.store.KeyRef;
import io.weir.observe.QuotaCount;
import io.weir.observe.QuotaUsage;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes checkpoints of quota usage every 10 s and at shutdown, and restores counts that the store
 * lost.
 *
 * <p>A count is compared with its checkpoint when this instance first sees it in a period, and when
 * it has fallen to less than half: 3 s later, so that the generation of a reset elsewhere is there.
 * If the store still holds less than half, it is raised to the checkpoint, once for all instances.
 * A key that is called again after a loss therefore has its count back within 4 s of the first
 * answer that shows the loss, 5 s more where leases answer. What it can take beyond its quota is
 * what it took in that time, plus what it took in the 10 s since the last checkpoint, or 10% of the
 * quota if it was below that.
 */
public final class UsageRecorder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UsageRecorder.class);
  static final Duration TICK = Duration.ofSeconds(1);
  static final int TICKS_PER_FLUSH = 10;
  static final Duration GRACE = Duration.ofSeconds(3);

  private final QuotaUsage usage;
  private final UsageCheckpoints table;
  private final TimeSource time;
  private final String cell;
  private final Executor executor;
  private final AtomicLong leftOut = new AtomicLong();
  private final AtomicLong restored = new AtomicLong();
  private volatile boolean closed;
  private int ticks;

  /**
   * Records the usage of an engine.
   *
   * @param cell the name of the store whose counts these are; instances with the same store share
   *     it
   * @param executor runs what blocks for as long as the database does
   */
  public UsageRecorder(
      QuotaUsage usage, UsageCheckpoints table, TimeSource time, String cell, Executor executor) {
    this.usage = usage;
    this.table = table;
    this.time = time;
    this.cell = cell;
    this.executor = executor;
  }

  public void start() {
    time.delay(TICK)
        .thenRun(
            () -> {
              if (!closed) {
                executor.execute(this::tickAndSchedule);
              }
            });
  }

  private void tickAndSchedule() {
    try {
      tick();
    } catch (DatabaseException e) {
      LOG.debug("cannot write or read usage: {}", e.toString());
    } catch (RuntimeException e) {
      LOG.warn("cannot record usage", e);
    } finally {
      if (!closed) {
        start();
      }
    }
  }

  /** How many counts the last flush left for the next, as there were too many. */
  public long leftOut() {
    return leftOut.get();
  }

  /** How many counts were compared with a larger checkpoint, and raised if the store lost them. */
  public long restored() {
    return restored.get();
  }

  private synchronized void tick() {
    usage.forgetEnded();
    restart();
    check();
    if (++ticks % TICKS_PER_FLUSH == 0) {
      flush();
    }
  }

  private void restart() {
    for (QuotaCount count : usage.counts()) {
      if (count.needsNewGeneration()) {
        QuotaCount.View view = count.view();
        Checkpoint begun =
            table.restart(
                count.rule(), count.limit(), hashOf(count), view.period(), cell, view.largest());
        count.restartedAs(begun.generation(), begun.used());
      }
    }
  }

  // ---- restoring

  private void check() {
    Map<String, List<QuotaCount>> byRule = new LinkedHashMap<>();
    long now = time.wallMicros();
    for (QuotaCount count : usage.counts()) {
      if (count.isUncheckedFor(GRACE.toNanos() / 1000, now)) {
        byRule.computeIfAbsent(count.rule(), it -> new ArrayList<>()).add(count);
      }
    }
    byRule.forEach(this::check);
  }

  private void check(String rule, List<QuotaCount> unchecked) {
    for (int from = 0; from < unchecked.size(); from += UsageCheckpoints.MAX_KEYS) {
      Map<String, QuotaCount> byHash = new HashMap<>();
      unchecked
          .subList(from, Math.min(unchecked.size(), from + UsageCheckpoints.MAX_KEYS))
          .forEach(count -> byHash.put(hashOf(count) + ' ' + count.limit(), count));
      List<String> hashes =
          byHash.keySet().stream().map(it -> it.substring(0, it.indexOf(' '))).distinct().toList();
      Map<String, Checkpoint> rows = new HashMap<>();
      for (Checkpoint row : table.find(rule, hashes)) {
        QuotaCount count = byHash.get(row.key() + ' ' + row.limit());
        if (count != null
            && row.cell().equals(cell)
            && row.period().equals(count.view().period())) {
          rows.put(row.key() + ' ' + row.limit(), row);
        }
      }
      byHash.forEach((id, count) -> check(count, rows.get(id)));
    }
  }

  private void check(QuotaCount count, @org.jspecify.annotations.Nullable Checkpoint row) {
    QuotaCount.View view = count.view();
    long generation =
        row == null ? view.generation() : Math.max(view.generation(), row.generation());
    long stored = row != null && row.generation() == generation ? row.used() : 0;
    long own = view.generation() == generation ? view.largest() : 0;
    long known = Math.max(stored, own);
    if (view.used() >= known / 2) {
      count.checked(generation, known);
      return;
    }
    restored.incrementAndGet();
    long id =
        KeyEncoding.hash(
            count.rule(),
            List.of(
                count.limit(), hashOf(count), view.period().toString(), Long.toString(generation)));
    usage
        .raise(count, known, id)
        .thenAccept(
            done -> {
              if (done) {
                count.checked(generation, known);
              }
            });
  }

  private static String hashOf(QuotaCount count) {
    return KeyRef.of(count.key().parts()).hash();
  }

  // ---- writing

  private void flush() {
    List<QuotaCount> changed =
        usage.counts().stream()
            .filter(QuotaCount::needsWriting)
            .sorted(Comparator.comparingDouble(UsageRecorder::shareLeft))
            .toList();
    int most = Math.min(changed.size(), UsageCheckpoints.MAX_FLUSH);
    leftOut.set(changed.size() - most);
    if (changed.size() > most) {
      LOG.warn(
          "{} counts of quotas changed; the {} fullest are written, the others later",
          changed.size(),
          most);
    }
    Map<QuotaCount, Checkpoint> rows = new LinkedHashMap<>();
    changed.subList(0, most).forEach(count -> rows.put(count, checkpoint(count)));
    if (!rows.isEmpty()) {
      table.merge(rows.values());
      rows.forEach((count, row) -> count.written(row.used()));
    }
  }

  private static double shareLeft(QuotaCount count) {
    QuotaCount.View view = count.view();
    return 1 - (double) view.largest() / Math.max(1, view.capacity());
  }

  private Checkpoint checkpoint(QuotaCount count) {
    QuotaCount.View view = count.view();
    return new Checkpoint(
        count.rule(),
        count.limit(),
        hashOf(count),
        view.period(),
        cell,
        view.generation(),
        view.largest());
  }

  /** Writes what has changed since the last flush, and stops. Blocks. */
  @Override
  public void close() {
    closed = true;
    try {
      synchronized (this) {
        restart();
        flush();
      }
    } catch (DatabaseException e) {
      LOG.warn("the last usage of quotas is not written: {}", e.toString());
    }
  }
}

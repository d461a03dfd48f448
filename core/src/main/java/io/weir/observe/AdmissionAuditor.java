package io.weir.observe;

import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.SettlementResult;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.time.TimeSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Audits a store: recounts the admissions of a few sampled keys, independently of the store's own
 * state.
 *
 * <p>Keys are sampled from calls at random, so frequent keys are audited first: at most {@value
 * #PER_RULE} per rule at once, each for a time that suits its limit ({@link BucketAudit}). A call
 * on a key without an audit costs one lookup in a small table. An instance sees only the calls that
 * it decides itself; other instances may have admitted more.
 */
public final class AdmissionAuditor extends ForwardingStore {
  static final int PER_RULE = 4;
  static final int MAX_AUDITS = 1024;
  private static final int SAMPLED = 64;

  /**
   * How long the result of a finished audit is reported, in µs, so that a periodic scrape does not
   * miss it.
   */
  private static final long REMEMBERED = 60_000_000;

  /**
   * The worst results of all audited keys of a rule.
   *
   * @param overAdmission the amount admitted as a fraction of the amount allowed; 0 if nothing was
   *     seen
   * @param estimateError the difference between a sliding window's estimate and a log of
   *     admissions, as a fraction of the limit; NaN if unknown
   */
  public record AuditResult(double overAdmission, double estimateError) {
    private AuditResult and(AuditResult other) {
      boolean known = !Double.isNaN(other.estimateError);
      return new AuditResult(
          Math.max(overAdmission, other.overAdmission),
          known && !(estimateError >= other.estimateError) ? other.estimateError : estimateError);
    }
  }

  private record FinishedAudit(String rule, AuditResult result, long until) {}

  private final TimeSource time;
  private final IntSupplier instances;
  private final int samplingInterval;
  private final Map<String, Integer> running = new HashMap<>();
  private final Deque<FinishedAudit> finished = new ArrayDeque<>();
  private final List<BucketAudit> audits = new ArrayList<>();

  /** The running audits by bucket: an immutable open-addressing table, at most half full. */
  private volatile @Nullable BucketAudit[] table = {};

  /**
   * Audits a store.
   *
   * @param instances the number of instances that share the store, as this one sees only its own
   *     decisions
   */
  public AdmissionAuditor(Store store, TimeSource time, IntSupplier instances) {
    this(store, time, instances, SAMPLED);
  }

  AdmissionAuditor(Store store, TimeSource time, IntSupplier instances, int sampled) {
    super(store);
    this.time = time;
    this.instances = instances;
    this.samplingInterval = sampled;
  }

  // ---- calls

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    boolean picked = pick();
    if (!picked && !isAudited(draws)) {
      return super.take(draws);
    }
    long sent = time.micros();
    return recordWhenDone(draws, picked, sent, super.take(draws));
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    boolean picked = pick();
    if (!picked && !isAudited(draws)) {
      return super.reserve(reservation, draws);
    }
    long sent = time.micros();
    return recordWhenDone(draws, picked, sent, super.reserve(reservation, draws));
  }

  @Override
  public CompletionStage<SettlementResult> settle(
      long reservation, List<ReservedPart> parts, SettlementTerms terms) {
    return super.settle(reservation, parts, terms)
        .thenApply(
            settled -> {
              if (settled == SettlementResult.DONE) {
                parts.forEach(
                    part ->
                        onGivenBack(part.pool(), part.key(), part.amount() - part.actualAmount()));
              }
              return settled;
            });
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    onGivenBack(pool, key, amount);
    return super.refund(pool, key, amount);
  }

  @Override
  public CompletionStage<SettlementResult> grant(Pool pool, Key key, long amount) {
    onGivenBack(pool, key, amount);
    return super.grant(pool, key, amount);
  }

  @Override
  public CompletionStage<SettlementResult> reset(Pool pool, Key key) {
    onGivenBack(pool, key, pool.meter().capacity());
    return super.reset(pool, key);
  }

  private void onGivenBack(Pool pool, Key key, long amount) {
    BucketAudit audit = amount > 0 ? find(table, pool, key) : null;
    if (audit != null) {
      audit.onGivenBack(amount, time.micros());
    }
  }

  private boolean pick() {
    return ThreadLocalRandom.current().nextInt(samplingInterval) == 0;
  }

  private boolean isAudited(List<Draw> draws) {
    BucketAudit[] now = table;
    for (int i = 0; now.length > 0 && i < draws.size(); i++) {
      if (find(now, draws.get(i).pool(), draws.get(i).key()) != null) {
        return true;
      }
    }
    return false;
  }

  private CompletionStage<TakeResult> recordWhenDone(
      List<Draw> draws, boolean picked, long sent, CompletionStage<TakeResult> stage) {
    CompletableFuture<TakeResult> future = stage.toCompletableFuture();
    if (future.isDone() && !future.isCompletedExceptionally()) {
      record(draws, future.join(), picked, sent);
      return stage;
    }
    return stage.thenApply(
        result -> {
          record(draws, result, picked, sent);
          return result;
        });
  }

  private void record(List<Draw> draws, TakeResult result, boolean picked, long sent) {
    if (!result.isComplete()) {
      return; // refused before all draws were checked
    }
    long now = time.micros();
    for (int i = 0; i < draws.size(); i++) {
      Draw draw = draws.get(i);
      LimitStatus status = result.statuses().get(i);
      BucketAudit audit = find(table, draw.pool(), draw.key());
      if ((audit == null || audit.isOver(now)) && picked && BucketAudit.isAuditable(draw)) {
        audit = begin(draw, status, result.taken(), sent, now);
      }
      if (audit != null && !draw.isLook()) {
        boolean alone = draw.pool().isLocal() || instances.getAsInt() <= 1;
        audit.onAnswer(draw, status, result.taken(), now, alone);
      }
    }
  }

  // ---- audits

  private synchronized @Nullable BucketAudit begin(
      Draw draw, LimitStatus first, boolean taken, long sent, long now) {
    removeFinished(now);
    BucketAudit known = find(table, draw.pool(), draw.key());
    String rule = draw.pool().rule();
    int already = running.getOrDefault(rule, 0);
    if (known != null || already >= PER_RULE || audits.size() >= MAX_AUDITS) {
      return known;
    }
    BucketAudit audit = BucketAudit.begin(draw, first, taken, sent);
    audits.add(audit);
    running.merge(rule, 1, Integer::sum);
    table = tableOf(audits);
    return audit;
  }

  /**
   * Ends all audits because rules have changed: the old buckets are no longer used, and new ones
   * need room.
   */
  public synchronized void rulesChanged() {
    removeFinished(time.micros(), audit -> true);
  }

  private void removeFinished(long now) {
    removeFinished(now, audit -> audit.isOver(now));
  }

  private void removeFinished(long now, Predicate<BucketAudit> isOver) {
    boolean changed =
        audits.removeIf(
            audit -> {
              boolean over = isOver.test(audit);
              if (over) {
                running.computeIfPresent(audit.pool.rule(), (rule, n) -> n == 1 ? null : n - 1);
                finished.add(
                    new FinishedAudit(audit.pool.rule(), resultOf(audit), now + REMEMBERED));
              }
              return over;
            });
    if (changed) {
      table = tableOf(audits);
    }
    while (!finished.isEmpty()
        && (finished.peek().until <= now || finished.size() > 4 * MAX_AUDITS)) {
      finished.remove();
    }
  }

  private static @Nullable BucketAudit[] tableOf(List<BucketAudit> audits) {
    BucketAudit[] table = new BucketAudit[Math.max(2, Integer.highestOneBit(audits.size()) * 4)];
    for (BucketAudit audit : audits) {
      int at = homeSlot(audit.pool, audit.key, table.length);
      while (table[at] != null) {
        at = (at + 1) & (table.length - 1);
      }
      table[at] = audit;
    }
    return table;
  }

  private static @Nullable BucketAudit find(@Nullable BucketAudit[] table, Pool pool, Key key) {
    if (table.length == 0) {
      return null;
    }
    for (int at = homeSlot(pool, key, table.length); ; at = (at + 1) & (table.length - 1)) {
      BucketAudit here = table[at];
      if (here == null) {
        return null;
      }
      if (here.pool == pool && here.key.low() == key.low() && here.key.high() == key.high()) {
        return here;
      }
    }
  }

  private static int homeSlot(Pool pool, Key key, int length) {
    return (int) pool.low(key) & (length - 1);
  }

  // ---- results

  private static AuditResult resultOf(BucketAudit audit) {
    return new AuditResult(audit.overAdmission(), audit.estimateError());
  }

  /**
   * The results by rule, of running audits and of those finished in the last minute. Rules without
   * calls are missing.
   */
  public synchronized Map<String, AuditResult> results() {
    removeFinished(time.micros());
    Map<String, AuditResult> accounts = new HashMap<>();
    audits.forEach(audit -> accounts.merge(audit.pool.rule(), resultOf(audit), AuditResult::and));
    finished.forEach(one -> accounts.merge(one.rule, one.result, AuditResult::and));
    return accounts;
  }
}

package io.weir.tier;

import io.weir.Key;
import io.weir.Settlement;
import io.weir.Standing;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Held;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.store.Term;
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
 * Stands beside a store and counts again, for a few keys, what it lets through: an account that
 * does not depend on the store's own.
 *
 * <p>Keys are picked by calls at random, so those asked for most are seen first: at most {@value
 * #PER_RULE} of a rule at once, each for a while that suits its limit ({@link Watch}). A call about
 * a key that is not watched costs a look into a small table. What an instance says is about the
 * calls that it decided itself: others may have let more through.
 */
public final class Witness extends ForwardingStore {
  static final int PER_RULE = 4;
  static final int MOST = 1024;
  private static final int SAMPLED = 64;

  /**
   * For how long a watch is told of after its end, so that nobody who asks now and then misses it.
   */
  private static final long REMEMBERED = 60_000_000;

  /**
   * What was seen of a rule's keys, at worst.
   *
   * @param overAdmission what was admitted as a part of what the limit allows; 0 if nothing was
   *     seen
   * @param estimateError how far a sliding window's estimate was from a log of what was admitted,
   *     as a part of the limit; NaN if that could not be told
   */
  public record Account(double overAdmission, double estimateError) {
    private Account and(Account other) {
      boolean known = !Double.isNaN(other.estimateError);
      return new Account(
          Math.max(overAdmission, other.overAdmission),
          known && !(estimateError >= other.estimateError) ? other.estimateError : estimateError);
    }
  }

  private record Ended(String rule, Account account, long until) {}

  private final TimeSource time;
  private final IntSupplier instances;
  private final int sampled;
  private final Map<String, Integer> running = new HashMap<>();
  private final Deque<Ended> ended = new ArrayDeque<>();
  private final List<Watch> watches = new ArrayList<>();

  /** The same watches by bucket; open addressing, never changed, half empty. */
  private volatile @Nullable Watch[] table = {};

  /**
   * A witness of a store.
   *
   * @param instances how many share it: only what this one decides is seen
   */
  public Witness(Store store, TimeSource time, IntSupplier instances) {
    this(store, time, instances, SAMPLED);
  }

  Witness(Store store, TimeSource time, IntSupplier instances, int sampled) {
    super(store);
    this.time = time;
    this.instances = instances;
    this.sampled = sampled;
  }

  // ---- what passes by

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    boolean picked = pick();
    if (!picked && !isWatched(draws)) {
      return super.take(draws);
    }
    long sent = time.micros();
    return noting(draws, picked, sent, super.take(draws));
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    boolean picked = pick();
    if (!picked && !isWatched(draws)) {
      return super.reserve(reservation, draws);
    }
    long sent = time.micros();
    return noting(draws, picked, sent, super.reserve(reservation, draws));
  }

  @Override
  public CompletionStage<Settlement> settle(long reservation, List<Held> parts, Term term) {
    return super.settle(reservation, parts, term)
        .thenApply(
            settled -> {
              if (settled == Settlement.DONE) {
                parts.forEach(
                    part -> givenBack(part.pool(), part.key(), part.amount() - part.owed()));
              }
              return settled;
            });
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    givenBack(pool, key, amount);
    return super.refund(pool, key, amount);
  }

  private void givenBack(Pool pool, Key key, long amount) {
    Watch watch = amount > 0 ? find(table, pool, key) : null;
    if (watch != null) {
      watch.givenBack(amount, time.micros());
    }
  }

  private boolean pick() {
    return ThreadLocalRandom.current().nextInt(sampled) == 0;
  }

  private boolean isWatched(List<Draw> draws) {
    Watch[] now = table;
    for (int i = 0; now.length > 0 && i < draws.size(); i++) {
      if (find(now, draws.get(i).pool(), draws.get(i).key()) != null) {
        return true;
      }
    }
    return false;
  }

  private CompletionStage<Taking> noting(
      List<Draw> draws, boolean picked, long sent, CompletionStage<Taking> stage) {
    CompletableFuture<Taking> future = stage.toCompletableFuture();
    if (future.isDone() && !future.isCompletedExceptionally()) {
      note(draws, future.join(), picked, sent);
      return stage;
    }
    return stage.thenApply(
        taking -> {
          note(draws, taking, picked, sent);
          return taking;
        });
  }

  private void note(List<Draw> draws, Taking taking, boolean picked, long sent) {
    if (!taking.isWhole()) {
      return; // refused before all were asked
    }
    long now = time.micros();
    for (int i = 0; i < draws.size(); i++) {
      Draw draw = draws.get(i);
      Standing standing = taking.standings().get(i);
      Watch watch = find(table, draw.pool(), draw.key());
      if ((watch == null || watch.isOver(now)) && picked && Watch.suits(draw)) {
        watch = begin(draw, standing, taking.taken(), sent, now);
      }
      if (watch != null && !draw.looks()) {
        boolean alone = draw.pool().isLocal() || instances.getAsInt() <= 1;
        watch.heard(draw, standing, taking.taken(), now, alone);
      }
    }
  }

  // ---- who is watched

  private synchronized @Nullable Watch begin(
      Draw draw, Standing first, boolean taken, long sent, long now) {
    tidy(now);
    Watch known = find(table, draw.pool(), draw.key());
    String rule = draw.pool().rule();
    int already = running.getOrDefault(rule, 0);
    if (known != null || already >= PER_RULE || watches.size() >= MOST) {
      return known;
    }
    Watch watch = Watch.begin(draw, first, taken, sent);
    watches.add(watch);
    running.merge(rule, 1, Integer::sum);
    table = tableOf(watches);
    return watch;
  }

  /** Rules have changed: nobody draws from the old buckets any more, and new ones want room. */
  public synchronized void rulesChanged() {
    tidy(time.micros(), watch -> true);
  }

  private void tidy(long now) {
    tidy(now, watch -> watch.isOver(now));
  }

  private void tidy(long now, Predicate<Watch> isOver) {
    boolean changed =
        watches.removeIf(
            watch -> {
              boolean over = isOver.test(watch);
              if (over) {
                running.computeIfPresent(watch.pool.rule(), (rule, n) -> n == 1 ? null : n - 1);
                ended.add(new Ended(watch.pool.rule(), account(watch), now + REMEMBERED));
              }
              return over;
            });
    if (changed) {
      table = tableOf(watches);
    }
    while (!ended.isEmpty() && (ended.peek().until <= now || ended.size() > 4 * MOST)) {
      ended.remove();
    }
  }

  private static @Nullable Watch[] tableOf(List<Watch> watches) {
    Watch[] table = new Watch[Math.max(2, Integer.highestOneBit(watches.size()) * 4)];
    for (Watch watch : watches) {
      int at = place(watch.pool, watch.key, table.length);
      while (table[at] != null) {
        at = (at + 1) & (table.length - 1);
      }
      table[at] = watch;
    }
    return table;
  }

  private static @Nullable Watch find(@Nullable Watch[] table, Pool pool, Key key) {
    if (table.length == 0) {
      return null;
    }
    for (int at = place(pool, key, table.length); ; at = (at + 1) & (table.length - 1)) {
      Watch here = table[at];
      if (here == null) {
        return null;
      }
      if (here.pool == pool && here.key.low() == key.low() && here.key.high() == key.high()) {
        return here;
      }
    }
  }

  private static int place(Pool pool, Key key, int length) {
    return (int) pool.low(key) & (length - 1);
  }

  // ---- what was seen

  private static Account account(Watch watch) {
    return new Account(watch.overAdmission(), watch.estimateError());
  }

  /** What was seen of each rule, now and in the last minute; nothing of rules without calls. */
  public synchronized Map<String, Account> accounts() {
    tidy(time.micros());
    Map<String, Account> accounts = new HashMap<>();
    watches.forEach(watch -> accounts.merge(watch.pool.rule(), account(watch), Account::and));
    ended.forEach(one -> accounts.merge(one.rule, one.account, Account::and));
    return accounts;
  }
}

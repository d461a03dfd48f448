package io.weir.tier;

import io.weir.Key;
import io.weir.OnFail;
import io.weir.Standing;
import io.weir.store.Draw;
import io.weir.store.Grant;
import io.weir.store.Held;
import io.weir.store.Pool;
import io.weir.store.Taking;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Carries what {@link LocalShares} still owe to the shared store: with the next draw on the bucket,
 * whichever that is, and with one at a time. Off the books once the store has answered it; until
 * then the present debt goes with the next try, as it shrinks by itself.
 *
 * <p>A store that has not heard of the debt would let it through again. So a bucket is decided here
 * for as long as it owes something that cannot be told: while it {@link Pauses}, while what it owes
 * is being changed, and in a further call of a decision, which may be given up any moment.
 */
final class Debts {
  private final Books books;
  private final Pauses pauses;

  /**
   * Buckets of which a call is under way that carries what they owe, or whose debt is just being
   * changed, until that has ended.
   */
  private final Map<BucketName, CompletableFuture<Void>> carried = new ConcurrentHashMap<>();

  /** Holds a bucket whose debt is being changed: it cannot be told just now. */
  private static final class Changing extends CompletableFuture<Void> {}

  /** What is owed; for many threads at once. */
  interface Books {
    /** Whether anything may be owed at all. */
    boolean any();

    /** What was let through here and has not come back yet. */
    long owed(Pool pool, Key key);

    /**
     * The store has been told of so much.
     *
     * @param inFull whether it surely charged all of it: a bucket that is used up takes only a part
     */
    void paid(Pool pool, Key key, long amount, boolean inFull);

    /** The time in µs, from wherever. */
    long micros();
  }

  /**
   * Debts of these books.
   *
   * @param store where a draw is looked at; must not throw
   */
  Debts(Books books, Function<Draw, CompletionStage<Taking>> store) {
    this.books = books;
    this.pauses = new Pauses(store, books::micros);
  }

  /**
   * The draws, with what is owed on their buckets.
   *
   * @param away the places of draws that are not going to the store; those are added whose bucket
   *     owes something that cannot be told now
   */
  List<Draw> load(List<Draw> draws, BitSet away) {
    if (!books.any()) {
      return draws;
    }
    List<Draw> loaded = new ArrayList<>(draws.size());
    try {
      for (int i = 0; i < draws.size(); i++) {
        Draw draw = draws.get(i);
        if (!away.get(i) && mayCarry(draw) && owed(draw) > 0) {
          BucketName bucket = BucketName.of(draw);
          away.set(i, draw.begun() != 0 || pauses.holds(bucket, draw));
          draw = away.get(i) ? draw : load(draw, bucket, i, away);
        }
        loaded.add(draw);
      }
      return loaded;
    } catch (RuntimeException | Error e) {
      putDown(loaded);
      throw e;
    }
  }

  private static boolean mayCarry(Draw draw) {
    return draw.intent() != Draw.Intent.LOOK && draw.pool().onFail() == OnFail.LOCAL;
  }

  private long owed(Draw draw) {
    return books.owed(draw.pool(), draw.key());
  }

  private Draw load(Draw draw, BucketName bucket, int place, BitSet away) {
    CompletableFuture<Void> other = carried.putIfAbsent(bucket, new CompletableFuture<>());
    if (other != null) {
      away.set(place, other instanceof Changing);
      return draw;
    }
    Draw loaded = draw;
    try {
      // Only now is it sure that nobody else is just paying.
      long owed = owed(draw);
      loaded = owed == 0 ? draw : draw.telling(draw.lease().owing(owed));
      return loaded;
    } finally {
      if (loaded == draw) {
        putDown(bucket);
      }
    }
  }

  /** The store has answered, or not. */
  void unload(List<Draw> draws, Taking taking) {
    try {
      for (int i = 0; i < draws.size(); i++) {
        Draw draw = draws.get(i);
        if (draw.lease().owed() > 0) {
          Standing standing = taking.standings().get(i);
          if (standing.answered()) {
            boolean inFull = standing.remaining() > 0 || standing.allowed() && draw.amount() > 0;
            books.paid(draw.pool(), draw.key(), draw.lease().owed(), inFull);
          } else if (isSent(taking, i)) {
            pauses.begin(BucketName.of(draw));
          }
        }
      }
    } finally {
      putDown(draws);
    }
  }

  /** Whether the store may have heard of a draw, as far as is known. */
  static boolean isSent(Taking taking, int place) {
    return taking.grants().isEmpty() || taking.grants().get(place) != Grant.UNSENT;
  }

  private void putDown(List<Draw> draws) {
    for (Draw draw : draws) {
      if (draw.lease().owed() > 0) {
        putDown(BucketName.of(draw));
      }
    }
  }

  private void putDown(BucketName bucket) {
    CompletableFuture<Void> ended = carried.remove(bucket);
    if (ended != null) {
      ended.complete(null);
    }
  }

  /**
   * Changes what parts owe while no call is under way that carries any of it: first waits for those
   * that are, and lets none begin. Whoever read what is owed before would tell the store too much.
   */
  <T> CompletionStage<T> whileNoneIsCarried(List<Held> parts, Supplier<T> change) {
    Set<BucketName> held = new HashSet<>();
    for (Held part : parts) {
      BucketName bucket = BucketName.of(part.pool(), part.key());
      if (!held.contains(bucket)) {
        CompletableFuture<Void> other = carried.putIfAbsent(bucket, new Changing());
        if (other != null) {
          held.forEach(this::putDown);
          return other.thenCompose(ended -> whileNoneIsCarried(parts, change));
        }
        held.add(bucket);
      }
    }
    return CompletableFuture.completedFuture(held)
        .thenApply(own -> change.get())
        .whenComplete((changed, problem) -> held.forEach(this::putDown));
  }
}

package io.weir.tier;

import io.weir.Key;
import io.weir.Settlement;
import io.weir.Source;
import io.weir.Standing;
import io.weir.limit.Loans;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Grant;
import io.weir.store.Held;
import io.weir.store.LeaseCall;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.store.Term;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A shared store that says what a test tells it to, when it tells it to. */
final class ScriptedStore implements Store {
  /** What time it always is there. */
  static final long NOW = 1_700_000_000_000_000L;

  /** A question that waits for its answer. */
  final class Question {
    final List<Draw> draws;
    private final CompletableFuture<Taking> answer = new CompletableFuture<>();

    private Question(List<Draw> draws) {
      this.draws = draws;
    }

    LeaseCall lease() {
      return draws.get(0).lease();
    }

    /** Admits everything, with so much left, and lends so much of what was asked for. */
    void admit(long remaining, long lent) {
      answer(true, draws.stream().map(draw -> standing(draw, true, remaining, 0)).toList(), lent);
    }

    void admit(long remaining) {
      admit(remaining, 0);
    }

    /** Refuses every draw. */
    void refuse(Duration retryAfter) {
      long micros = retryAfter.toNanos() / 1000;
      answer(false, draws.stream().map(draw -> standing(draw, false, 0, micros)).toList(), 0);
    }

    /** Answers none of the draws. */
    void ignore() {
      answer.complete(Taking.unanswered(draws));
    }

    /** Answers none of the draws, as it was never heard of them. */
    void neverHear() {
      answer.complete(Taking.unsent(draws));
    }

    void answer(boolean taken, List<Standing> standings, long lent) {
      List<Grant> grants = new ArrayList<>();
      List<Stamp> stamps = new ArrayList<>();
      for (Draw draw : draws) {
        grants.add(grant(draw.lease(), lent));
        stamps.add(new Stamp(5, 6).madeAt(NOW));
      }
      answer.complete(new Taking(taken, standings, taken ? stamps : List.of(), grants));
    }

    private Grant grant(LeaseCall call, long lent) {
      if (call.equals(LeaseCall.NONE)) {
        return Grant.NONE;
      }
      long kept = call.held().window() == window ? call.kept() : 0;
      return new Grant(kept, Math.min(lent, call.asked()), 3, window, Loans.LIFE, NOW);
    }

    void fail(Throwable problem) {
      answer.completeExceptionally(problem);
    }
  }

  static Standing standing(Draw draw, boolean allowed, long remaining, long retryAfter) {
    Pool pool = draw.pool();
    return new Standing.Builder(pool.rule(), pool.name(), pool.meter().limit(), draw.mode())
        .allowed(allowed)
        .remaining(remaining)
        .reset(1_000_000)
        .retryAfter(retryAfter)
        .source(Source.STORE)
        .build();
  }

  final Deque<Question> questions = new ArrayDeque<>();
  final List<LeaseCall> ended = new ArrayList<>();
  final List<Held> settled = new ArrayList<>();
  final Set<String> away = new HashSet<>();

  /** What happens, once, while somebody asks whether it is away. */
  Runnable meanwhile = () -> {};

  int asked;
  boolean closed;

  /** The window that leases are from; 0 for buckets. */
  long window;

  /** Thrown by the next question, instead of an answer. */
  @Nullable Error error;

  /** The next question that waits. */
  Question next() {
    return questions.remove();
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    return reserve(0, draws);
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    asked++;
    if (error != null) {
      Error now = error;
      error = null;
      throw now;
    }
    Question question = new Question(draws);
    questions.add(question);
    return question.answer;
  }

  @Override
  public CompletionStage<Settlement> settle(long reservation, List<Held> parts, Term term) {
    settled.addAll(parts);
    return CompletableFuture.completedFuture(Settlement.DONE);
  }

  @Override
  public CompletionStage<Settlement> release(long reservation, List<Held> parts) {
    return CompletableFuture.completedFuture(Settlement.ALREADY);
  }

  @Override
  public CompletionStage<Settlement> renew(long reservation, List<Held> parts) {
    return CompletableFuture.completedFuture(Settlement.ALREADY);
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<Void> endLease(Pool pool, Key key, LeaseCall lease) {
    ended.add(lease);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public boolean isAway(Pool pool, Key key) {
    Runnable now = meanwhile;
    meanwhile = () -> {};
    now.run();
    return away.contains(pool.rule());
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return CompletableFuture.completedFuture(draws.stream().map(Draw::toString).toList());
  }

  @Override
  public void close() {
    closed = true;
  }
}

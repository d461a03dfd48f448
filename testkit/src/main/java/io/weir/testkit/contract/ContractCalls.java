package io.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Short forms of the operations that the contract runs on a store. */
public final class ContractCalls {
  /** The key of tests that need only one. */
  public static final Key KEY = Key.of("somebody");

  /** Longer than any test lasts, on any clock. */
  public static final Duration EVER = Duration.ofDays(2000);

  private final Store store;

  public ContractCalls(Store store) {
    this.store = store;
  }

  /** A rule with this one limit, for example {@code 10/h burst=20}. */
  public static Pool pool(String limit) {
    return pool("rule", limit);
  }

  public static Pool pool(String rule, String limit) {
    return pool(rule, Limit.parse(limit));
  }

  public static Pool pool(String rule, Limit limit) {
    String id = rule.replaceAll("[^A-Za-z0-9_.-]", "-");
    return new Pool(id, id, "1", limit, false);
  }

  public static Pool countingDenied(String limit) {
    return new Pool("rule", "rule", "1", Limit.parse(limit), true);
  }

  public static Draw draw(Pool pool, long amount) {
    return draw(pool, KEY, amount);
  }

  public static Draw draw(Pool pool, Key key, long amount) {
    return new Draw(pool, key, amount, Mode.ENFORCE, Intent.TAKE);
  }

  public static Draw draw(Pool pool, long amount, Intent intent) {
    return new Draw(pool, KEY, amount, Mode.ENFORCE, intent);
  }

  public static Draw shadow(Pool pool, long amount) {
    return new Draw(pool, KEY, amount, Mode.SHADOW, Intent.TAKE);
  }

  /** The result of a stage. A store completes it soon, and never exceptionally. */
  public static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("a store answers with a value", e);
    }
  }

  public TakeResult take(Draw... draws) {
    return get(store.take(List.of(draws)));
  }

  /** Takes from one bucket and returns its status. */
  public LimitStatus take(Pool pool, long amount) {
    return take(draw(pool, amount)).statuses().get(0);
  }

  public LimitStatus take(Pool pool, Key key, long amount) {
    return take(draw(pool, key, amount)).statuses().get(0);
  }

  /** The status of a bucket for a cost, without changing it. */
  public LimitStatus look(Pool pool, long amount) {
    return take(draw(pool, amount, Intent.LOOK)).statuses().get(0);
  }

  public long remaining(Pool pool) {
    return look(pool, 0).remaining();
  }

  /** Reserves with permits; the returned parts are for settle, release or renew. */
  public List<ReservedPart> reserve(long reservation, Pool pool, long amount) {
    return reserve(reservation, List.of(draw(pool, amount, Intent.HOLD)));
  }

  public List<ReservedPart> reserve(long reservation, List<Draw> draws) {
    TakeResult result = get(store.reserve(reservation, draws));
    assertThat(result.taken()).as("reserved").isTrue();
    List<ReservedPart> parts = new ArrayList<>();
    for (int i = 0; i < draws.size(); i++) {
      Draw draw = draws.get(i);
      parts.add(
          new ReservedPart(
              draw.pool(), draw.key(), draw.amount(), draw.amount(), result.receipts().get(i)));
    }
    return parts;
  }

  /** The same parts with this actual cost each. */
  public static List<ReservedPart> owing(List<ReservedPart> parts, long owed) {
    return parts.stream()
        .map(part -> new ReservedPart(part.pool(), part.key(), part.amount(), owed, part.receipt()))
        .toList();
  }

  /** Settles a reservation of any age. */
  public boolean settle(long reservation, List<ReservedPart> parts, long owed) {
    return settle(reservation, parts, owed, EVER);
  }

  /** Settles a reservation that is not older than this. */
  public boolean settle(long reservation, List<ReservedPart> parts, long owed, Duration within) {
    return get(store.settle(reservation, owing(parts, owed), within)) == SettlementResult.DONE;
  }

  public boolean release(long reservation, List<ReservedPart> parts) {
    return get(store.release(reservation, parts)) == SettlementResult.DONE;
  }

  public boolean renew(long reservation, List<ReservedPart> parts) {
    return get(store.renew(reservation, parts)) == SettlementResult.DONE;
  }
}

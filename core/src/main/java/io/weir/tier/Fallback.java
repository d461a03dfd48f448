package io.weir.tier;

import io.weir.Key;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Standing;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Held;
import io.weir.store.MemoryStore;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Gives the answer that each rule chose beforehand for draws that a shared store could not answer.
 *
 * <p>Open allows, closed refuses as unavailable, local decides in memory. Any closed draw makes the
 * call unavailable; else any refusal, near or far, refuses it. What the store took for a call that
 * is refused in the end is given back.
 */
public final class Fallback implements Store {
  private static final Duration GIVE_BACK_WITHIN = Duration.ofSeconds(1);

  private final Store shared;
  private final MemoryStore local;

  public Fallback(Store shared, MemoryStore local) {
    this.shared = shared;
    this.local = local;
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    return reserve(ThreadLocalRandom.current().nextLong(), draws);
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    return shared
        .reserve(reservation, draws)
        .thenApply(
            taking ->
                taking.standings().stream().allMatch(Standing::answered)
                    ? taking
                    : degraded(reservation, draws, taking));
  }

  private Taking degraded(long reservation, List<Draw> draws, Taking heard) {
    List<Standing> standings = new ArrayList<>(heard.standings());
    List<Stamp> stamps = new ArrayList<>(heard.stamps());
    List<Integer> near = new ArrayList<>();
    for (int i = 0; i < standings.size(); i++) {
      if (!standings.get(i).answered()) {
        Draw draw = draws.get(i);
        if (draw.pool().onFail() == OnFail.OPEN) {
          standings.set(i, open(draw));
        } else if (draw.pool().onFail() == OnFail.LOCAL) {
          near.add(i);
        }
      }
    }
    boolean passes = true;
    for (int i = 0; i < standings.size(); i++) {
      passes &=
          near.contains(i) || standings.get(i).allowed() || draws.get(i).mode() != Mode.ENFORCE;
    }
    Taking here = decideNear(reservation, near.stream().map(draws::get).toList(), passes);
    for (int i = 0; i < near.size(); i++) {
      standings.set(near.get(i), here.standings().get(i).asDegraded());
      if (!here.stamps().isEmpty()) {
        stamps.set(near.get(i), here.stamps().get(i));
      }
    }
    boolean taken = passes && here.taken();
    if (!taken) {
      giveBack(reservation, draws, heard);
    }
    return new Taking(taken, standings, taken ? stamps : List.of());
  }

  private static Standing open(Draw draw) {
    Pool pool = draw.pool();
    return new Standing.Builder(pool.rule(), pool.name(), pool.meter().limit(), draw.mode())
        .allowed(true)
        .remaining(pool.meter().capacity())
        .degraded()
        .build();
  }

  /** Draws here what the store could not answer; only looks if the call does not pass anyway. */
  private Taking decideNear(long reservation, List<Draw> draws, boolean passes) {
    List<Draw> asked = draws;
    if (!passes) {
      asked = draws.stream().map(Draw::looking).toList();
    }
    return local.reserve(reservation, asked).toCompletableFuture().join();
  }

  private void giveBack(long reservation, List<Draw> draws, Taking heard) {
    List<Held> held = new ArrayList<>();
    for (int i = 0; i < heard.stamps().size(); i++) {
      Draw draw = draws.get(i);
      Standing standing = heard.standings().get(i);
      if (standing.answered() && standing.allowed() && draw.intent() != Draw.Intent.LOOK) {
        held.add(new Held(draw.pool(), draw.key(), draw.amount(), 0, heard.stamps().get(i)));
      }
    }
    if (!held.isEmpty()) {
      shared.settle(reservation, held, GIVE_BACK_WITHIN);
      shared.release(reservation, held);
    }
  }

  @Override
  public CompletionStage<Boolean> settle(long reservation, List<Held> parts, Duration within) {
    return shared.settle(reservation, parts, within);
  }

  @Override
  public CompletionStage<Boolean> release(long reservation, List<Held> parts) {
    return both(shared.release(reservation, parts), local.release(reservation, parts));
  }

  @Override
  public CompletionStage<Boolean> renew(long reservation, List<Held> parts) {
    return both(shared.renew(reservation, parts), local.renew(reservation, parts));
  }

  private static CompletionStage<Boolean> both(
      CompletionStage<Boolean> there, CompletionStage<Boolean> here) {
    return there.thenCombine(here, (one, other) -> one || other);
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return shared.refund(pool, key, amount);
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return shared.describe(draws);
  }

  @Override
  public void close() {
    shared.close();
  }
}

package io.weir;

import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.Split;
import io.weir.store.Taking;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Draws that were made, and what came of them.
 *
 * @param id what they were reserved by, if they were
 */
record Tried(long id, List<Draw> draws, Taking taking) {
  /** Whether each draw was refused. */
  boolean[] refused() {
    boolean[] refused = new boolean[draws.size()];
    for (int i = 0; i < refused.length; i++) {
      Standing standing = isWhole() ? taking.standings().get(i) : refusalOf(draws.get(i));
      refused[i] = standing != null && !standing.allowed();
    }
    return refused;
  }

  /** Whether all draws were asked; a call can be refused before that. */
  private boolean isWhole() {
    return taking.standings().size() == draws.size();
  }

  private @Nullable Standing refusalOf(Draw draw) {
    for (Standing standing : taking.standings()) {
      if (!standing.allowed() && standing.isAbout(draw)) {
        return standing;
      }
    }
    return null;
  }

  /** This second try: where it was refused too, with the better of both answers. */
  Tried after(Tried first) {
    if (taking.taken()) {
      return this;
    }
    List<Standing> standings = new ArrayList<>(taking.standings());
    for (int i = 0; i < standings.size(); i++) {
      Standing before =
          isWhole() && first.isWhole()
              ? first.taking.standings().get(i)
              : first.refusalOf(drawOf(i));
      if (before != null && !before.allowed()) {
        standings.set(i, better(before, standings.get(i)));
      }
    }
    return new Tried(id, draws, new Taking(false, standings, List.of()));
  }

  /** This try, which took, with what came of asking some of its shadow draws again. */
  Tried with(boolean[] asked, Tried again) {
    if (!again.isWhole() || again.taking.stamps().isEmpty() != taking.stamps().isEmpty()) {
      return this;
    }
    List<Draw> drawn = new ArrayList<>(draws);
    List<Standing> standings = new ArrayList<>(taking.standings());
    List<Stamp> stamps = new ArrayList<>(taking.stamps());
    int next = 0;
    for (int i = 0; i < asked.length; i++) {
      if (asked[i]) {
        standings.set(i, better(standings.get(i), again.taking.standings().get(next)));
        drawn.set(i, again.draws.get(next));
        if (!stamps.isEmpty()) {
          stamps.set(i, again.taking.stamps().get(next));
        }
        next++;
      }
    }
    return new Tried(id, drawn, new Taking(true, standings, stamps));
  }

  /** The answer of two shards that helps a caller more. */
  private static Standing better(Standing one, Standing other) {
    if (other.allowed() || one.answered() != other.answered()) {
      return other.allowed() || other.answered() ? other : one;
    }
    // Waiting that cannot help is −1, and so the longest of all.
    long wait = one.retryAfterMicros();
    return Long.compareUnsigned(wait, other.retryAfterMicros()) <= 0 ? one : other;
  }

  /** The draw that a standing is about. */
  private Draw drawOf(int standing) {
    if (isWhole()) {
      return draws.get(standing);
    }
    Standing about = taking.standings().get(standing);
    return draws.stream().filter(about::isAbout).findFirst().orElseThrow();
  }

  /**
   * What was asked, for whoever wants to know why.
   *
   * @param arithmetic in words, per draw
   */
  List<Explanation.Asked> asked(List<String> arithmetic) {
    List<Explanation.Asked> asked = new ArrayList<>();
    for (int i = 0; i < taking.standings().size(); i++) {
      Draw draw = drawOf(i);
      String text = arithmetic.get(draws.indexOf(draw));
      Pool pool = draw.pool();
      asked.add(
          new Explanation.Asked(
              taking.standings().get(i),
              draw.key().toString(),
              draw.amount(),
              pool.isSplit() ? "shard " + pool.shard() + ": " + text : text));
    }
    return asked;
  }

  /** The same, with what shards say taken for the whole limit. */
  Tried ofWhole() {
    List<Standing> standings = new ArrayList<>(taking.standings());
    for (int i = 0; i < standings.size(); i++) {
      Draw draw = drawOf(i);
      if (draw.pool().isSplit()) {
        Split split = draw.pool().split();
        standings.set(i, standings.get(i).ofShard(split.whole(), split.size()));
      }
    }
    return new Tried(id, draws, new Taking(taking.taken(), standings, taking.stamps()));
  }
}

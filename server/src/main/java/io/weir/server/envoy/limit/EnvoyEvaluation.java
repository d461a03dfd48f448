package io.weir.server.envoy.limit;

import io.weir.FixedWindow;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.Quota;
import io.weir.base.Micros;
import io.weir.engine.DrawMerger;
import io.weir.server.envoy.limit.CompiledDomain.LimitMatch;
import io.weir.store.Draw;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The evaluation of one request: matches each descriptor to a limit, collects the draws, and turns
 * the statuses of the limits into a decision.
 *
 * <p><b>Quota descriptors</b> refuse only if all of them are over. A single one is therefore drawn
 * like any other. Several are drawn independently, as if in shadow mode; whether all are over is
 * known only afterwards.
 */
final class EnvoyEvaluation {
  private static final int NOT_DRAWN = -1;
  private static final long SECOND_MICROS = 1_000_000;

  private final List<EnvoyRequest.Descriptor> descriptors;
  private final EnvoyLimiter.Modes modes;
  private final @Nullable LimitMatch[] matches;

  /** For each descriptor the index of its draw among the merged draws. */
  private final int[] drawIndex;

  private final DrawMerger merger = new DrawMerger();
  private int quotas;
  private boolean someQuotaPasses;
  private boolean someOther;

  EnvoyEvaluation(CompiledDomain domain, EnvoyRequest request, EnvoyLimiter.Modes modes) {
    this.descriptors = request.descriptors();
    this.modes = modes;
    this.matches = new LimitMatch[descriptors.size()];
    this.drawIndex = new int[descriptors.size()];
    for (int i = 0; i < matches.length; i++) {
      matches[i] = domain.match(descriptors.get(i));
    }
    removeReplaced();
    for (LimitMatch match : matches) {
      count(match);
    }
    for (int i = 0; i < matches.length; i++) {
      LimitMatch match = matches[i];
      drawIndex[i] =
          match == null || match.limit().isUnlimited()
              ? NOT_DRAWN
              : merger.add(draw(match, descriptors.get(i).hits()));
    }
  }

  private void removeReplaced() {
    Set<String> replaced = null;
    for (LimitMatch match : matches) {
      if (match != null && !match.limit().replaces().isEmpty()) {
        replaced = replaced == null ? new HashSet<>() : replaced;
        replaced.addAll(match.limit().replaces());
      }
    }
    if (replaced == null) {
      return;
    }
    for (int i = 0; i < matches.length; i++) {
      LimitMatch match = matches[i];
      if (match != null
          && !match.limit().isUnlimited()
          && replaced.contains(match.limit().name())) {
        matches[i] = null;
      }
    }
  }

  private void count(@Nullable LimitMatch match) {
    if (match == null || match.limit().isUnlimited()) {
      someQuotaPasses |= modes.quota();
    } else if (isQuota(match.limit())) {
      quotas++;
      someQuotaPasses |= match.limit().isShadow();
    } else {
      someOther = true;
    }
  }

  private boolean isQuota(CompiledLimit limit) {
    return modes.quota() || limit.isQuota();
  }

  private Draw draw(LimitMatch match, long hits) {
    CompiledLimit limit = match.limit();
    boolean decides = !isQuota(limit) || (quotas == 1 && !someQuotaPasses);
    Mode mode = decides && !modes.shadow() ? limit.mode() : Mode.SHADOW;
    // With count_denied, hits reported after the response can exceed the rest of the limit. The
    // request before it, with 0 hits, is therefore allowed only if something is left.
    boolean mustFindSome = hits == 0 && limit.pool().countDenied();
    return new Draw(
        limit.pool(),
        match.key(),
        mustFindSome ? 1 : hits,
        mode,
        hits == 0 ? Draw.Intent.LOOK : Draw.Intent.TAKE_NOW);
  }

  /** The draws of the request, one per bucket. */
  List<Draw> draws() {
    return merger.draws();
  }

  /** Whether the request can still be refused after all draws were taken. */
  boolean mayBeRefusedLater() {
    return quotas > 1 && !someQuotaPasses && someOther && !modes.shadow();
  }

  /** The parts that were taken, each with a true cost of 0, so that settling refunds them. */
  List<ReservedPart> reservedParts(TakeResult result) {
    List<ReservedPart> parts = new ArrayList<>();
    for (int i = 0; i < draws().size(); i++) {
      Draw draw = draws().get(i);
      if (result.statuses().get(i).allowed() && draw.intent() != Draw.Intent.LOOK) {
        parts.add(
            new ReservedPart(draw.pool(), draw.key(), draw.amount(), 0, result.receipts().get(i)));
      }
    }
    return parts;
  }

  /** The decision that follows from the results of all draws. */
  EnvoyDecision decision(TakeResult result, long wallMicros) {
    List<DescriptorResult> statuses = new ArrayList<>(matches.length);
    boolean refused = false;
    boolean unanswered = false;
    int quotasOver = 0;
    for (int i = 0; i < matches.length; i++) {
      LimitMatch match = matches[i];
      if (drawIndex[i] == NOT_DRAWN || match == null) {
        statuses.add(
            match == null
                ? DescriptorResult.Unmatched.INSTANCE
                : new DescriptorResult.Unlimited(match.limit()));
        continue;
      }
      LimitStatus limitStatus = result.at(drawIndex[i]).orElse(null);
      if (limitStatus == null) {
        statuses.add(new DescriptorResult.NotEvaluated(match.limit(), descriptors.get(i).hits()));
        continue;
      }
      DescriptorResult.Counted status =
          status(match.limit(), descriptors.get(i).hits(), limitStatus, wallMicros);
      statuses.add(status);
      unanswered |= status.over() && !limitStatus.answered();
      if (isQuota(match.limit())) {
        quotasOver += status.over() ? 1 : 0;
      } else {
        refused |= status.over();
      }
    }
    refused |= quotas > 0 && quotasOver == quotas && !someQuotaPasses;
    return new EnvoyDecision(outcome(refused, unanswered), statuses);
  }

  private EnvoyDecision.Outcome outcome(boolean refused, boolean unanswered) {
    if (!refused || modes.shadow()) {
      return EnvoyDecision.Outcome.OK;
    }
    return unanswered ? EnvoyDecision.Outcome.UNAVAILABLE : EnvoyDecision.Outcome.OVER_LIMIT;
  }

  private static DescriptorResult.Counted status(
      CompiledLimit limit, long hits, LimitStatus limitStatus, long wallMicros) {
    boolean over = !limitStatus.allowed() && !limit.isShadow();
    long reset =
        Math.max(1, (resetMicros(limitStatus, wallMicros) + SECOND_MICROS - 1) / SECOND_MICROS);
    return new DescriptorResult.Counted(limit, hits, over, reset, limitStatus);
  }

  /** If refused, the time until a retry can succeed; otherwise the time until fully restored. */
  private static long resetMicros(LimitStatus limitStatus, long wallMicros) {
    long retry = Micros.waitMillis(limitStatus.retryAfterMicros()) * 1000;
    if (!limitStatus.allowed() && retry > 0) {
      return retry;
    }
    long reset = Micros.toMillis(limitStatus.resetMicros()) * 1000;
    return reset > 0 ? reset : untilWindowEnds(limitStatus.limit(), wallMicros);
  }

  /** Time until the window ends, for a limit that is unused or that always refuses. */
  private static long untilWindowEnds(Limit limit, long wallMicros) {
    long window = Micros.of(limit.window());
    if (limit instanceof FixedWindow fixed && fixed.aligned()) {
      return window - Math.floorMod(wallMicros, window);
    }
    if (limit instanceof Quota quota) {
      ZonedDateTime now = Instant.EPOCH.plus(wallMicros, ChronoUnit.MICROS).atZone(quota.zone());
      ZonedDateTime end = quota.period().next(quota.period().start(now));
      return end.toEpochSecond() * SECOND_MICROS - wallMicros;
    }
    return limit.capacity() == 0 ? window : 0;
  }
}

package io.weir.server.envoy.limit;

import io.weir.ExactNumbers;
import io.weir.FixedWindow;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.Quota;
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
 * One request on its way: which limit each descriptor meets, what that draws, and what the
 * standings of those limits mean for the request.
 *
 * <p><b>Quota descriptors</b> refuse only if all of them are over. A single one is therefore drawn
 * from like any other. Several are drawn from as if in shadow, each for itself; whether all are
 * over is seen afterwards.
 */
final class EnvoyEvaluation {
  private static final int NOT_DRAWN = -1;
  private static final long SECOND_MICROS = 1_000_000;

  private final List<EnvoyRequest.Descriptor> asked;
  private final EnvoyLimiter.Modes modes;
  private final @Nullable LimitMatch[] met;

  /** For each descriptor the place of its draw in the basket. */
  private final int[] drawn;

  private final DrawMerger basket = new DrawMerger();
  private int quotas;
  private boolean someQuotaPasses;
  private boolean someOther;

  EnvoyEvaluation(CompiledDomain domain, EnvoyRequest question, EnvoyLimiter.Modes modes) {
    this.asked = question.descriptors();
    this.modes = modes;
    this.met = new LimitMatch[asked.size()];
    this.drawn = new int[asked.size()];
    for (int i = 0; i < met.length; i++) {
      met[i] = domain.match(asked.get(i));
    }
    removeReplaced();
    for (LimitMatch meeting : met) {
      count(meeting);
    }
    for (int i = 0; i < met.length; i++) {
      LimitMatch meeting = met[i];
      drawn[i] =
          meeting == null || meeting.limit().isUnlimited()
              ? NOT_DRAWN
              : basket.add(draw(meeting, asked.get(i).hits()));
    }
  }

  private void removeReplaced() {
    Set<String> replaced = null;
    for (LimitMatch meeting : met) {
      if (meeting != null && !meeting.limit().replaces().isEmpty()) {
        replaced = replaced == null ? new HashSet<>() : replaced;
        replaced.addAll(meeting.limit().replaces());
      }
    }
    if (replaced == null) {
      return;
    }
    for (int i = 0; i < met.length; i++) {
      LimitMatch meeting = met[i];
      if (meeting != null
          && !meeting.limit().isUnlimited()
          && replaced.contains(meeting.limit().name())) {
        met[i] = null;
      }
    }
  }

  private void count(@Nullable LimitMatch meeting) {
    if (meeting == null || meeting.limit().isUnlimited()) {
      someQuotaPasses |= modes.quota();
    } else if (isQuota(meeting.limit())) {
      quotas++;
      someQuotaPasses |= meeting.limit().isShadow();
    } else {
      someOther = true;
    }
  }

  private boolean isQuota(CompiledLimit limit) {
    return modes.quota() || limit.isQuota();
  }

  private Draw draw(LimitMatch meeting, long hits) {
    CompiledLimit limit = meeting.limit();
    boolean decides = !isQuota(limit) || (quotas == 1 && !someQuotaPasses);
    Mode mode = decides && !modes.shadow() ? limit.mode() : Mode.SHADOW;
    // Hits that are counted afterwards can come to more than was left; who asks before, with 0,
    // passes only if something is left.
    boolean mustFindSome = hits == 0 && limit.pool().countDenied();
    return new Draw(
        limit.pool(),
        meeting.key(),
        mustFindSome ? 1 : hits,
        mode,
        hits == 0 ? Draw.Intent.LOOK : Draw.Intent.TAKE_NOW);
  }

  /** What the request draws, each bucket once. */
  List<Draw> draws() {
    return basket.draws();
  }

  /** Whether it can turn out after all draws were taken that the request must not pass. */
  boolean mayBeRefusedLater() {
    return quotas > 1 && !someQuotaPasses && someOther && !modes.shadow();
  }

  /** What was taken, owed nothing. */
  List<ReservedPart> reservedParts(TakeResult taking) {
    List<ReservedPart> held = new ArrayList<>();
    for (int i = 0; i < draws().size(); i++) {
      Draw draw = draws().get(i);
      if (taking.statuses().get(i).allowed() && draw.intent() != Draw.Intent.LOOK) {
        held.add(
            new ReservedPart(draw.pool(), draw.key(), draw.amount(), 0, taking.receipts().get(i)));
      }
    }
    return held;
  }

  /** What came of all draws, as an answer. */
  EnvoyDecision decision(TakeResult taking, long wallMicros) {
    List<DescriptorResult> statuses = new ArrayList<>(met.length);
    boolean refused = false;
    boolean unanswered = false;
    int quotasOver = 0;
    for (int i = 0; i < met.length; i++) {
      LimitMatch meeting = met[i];
      if (drawn[i] == NOT_DRAWN || meeting == null) {
        statuses.add(
            meeting == null
                ? DescriptorResult.Unmatched.INSTANCE
                : new DescriptorResult.Unlimited(meeting.limit()));
        continue;
      }
      LimitStatus standing = taking.at(drawn[i]).orElse(null);
      if (standing == null) {
        statuses.add(new DescriptorResult.NotEvaluated(meeting.limit(), asked.get(i).hits()));
        continue;
      }
      DescriptorResult.Counted status =
          status(meeting.limit(), asked.get(i).hits(), standing, wallMicros);
      statuses.add(status);
      unanswered |= status.over() && !standing.answered();
      if (isQuota(meeting.limit())) {
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
      CompiledLimit limit, long hits, LimitStatus standing, long wallMicros) {
    boolean over = !standing.allowed() && !limit.isShadow();
    long reset =
        Math.max(1, (resetMicros(standing, wallMicros) + SECOND_MICROS - 1) / SECOND_MICROS);
    return new DescriptorResult.Counted(limit, hits, over, reset, standing);
  }

  /** When refused the time until it would not be, otherwise the time until all is back. */
  private static long resetMicros(LimitStatus standing, long wallMicros) {
    long retry = ExactNumbers.waitMillis(standing.retryAfterMicros()) * 1000;
    if (!standing.allowed() && retry > 0) {
      return retry;
    }
    long reset = ExactNumbers.wholeMillis(standing.resetMicros()) * 1000;
    return reset > 0 ? reset : untilWindowEnds(standing.limit(), wallMicros);
  }

  /** Of a limit that nothing was taken from, or that refuses for ever. */
  private static long untilWindowEnds(Limit limit, long wallMicros) {
    long window = ExactNumbers.micros(limit.window());
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

package io.weir;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a call, with everything a front end needs to pass it on: whether it may pass and
 * why, how each limit that was asked stands, and how long to wait.
 *
 * <p>The <em>deciding</em> limit is the one worth telling the caller about. Of a refusal it is the
 * one with the longest retry-after among those that refused; of an admission the one of which the
 * smallest part is left; the first in document order on ties; never one that is only in shadow.
 */
public final class Decision {
  private static final Decision UNLIMITED = new Decision(Reason.OK, List.of(), null, null, null);

  private final Reason reason;
  private final List<LimitStatus> statuses;
  private final @Nullable LimitStatus deciding;
  private final @Nullable String rule;
  private final @Nullable String reservation;

  private Decision(
      Reason reason,
      List<LimitStatus> statuses,
      @Nullable LimitStatus deciding,
      @Nullable String rule,
      @Nullable String reservation) {
    this.reason = reason;
    this.statuses = statuses;
    this.deciding = deciding;
    this.rule = rule;
    this.reservation = reservation;
  }

  /** No rule had anything to say. */
  public static Decision unlimited() {
    return UNLIMITED;
  }

  /** A decision without looking at any limit, because of this rule, token or none. */
  public static Decision outright(Reason reason, @Nullable String rule) {
    return new Decision(reason, List.of(), null, rule, null);
  }

  /** The decision that follows from how the limits stand. */
  public static Decision of(List<LimitStatus> statuses) {
    LimitStatus tightest = null;
    LimitStatus refusing = null;
    for (int i = 0; i < statuses.size(); i++) {
      LimitStatus status = statuses.get(i);
      if (status.mode() != Mode.ENFORCE) {
        continue;
      }
      if (!status.allowed()) {
        refusing = refusing == null || status.isStricterRefusalThan(refusing) ? status : refusing;
      } else if (tightest == null || status.isTighterThan(tightest)) {
        tightest = status;
      }
    }
    if (refusing != null) {
      Reason reason = refusing.answered() ? Reason.LIMITED : Reason.UNAVAILABLE;
      return new Decision(reason, statuses, refusing, refusing.rule(), null);
    }
    return new Decision(
        Reason.OK, statuses, tightest, tightest == null ? null : tightest.rule(), null);
  }

  public Decision withReservation(String token) {
    return new Decision(reason, statuses, deciding, rule, token);
  }

  /** Whether the call may pass. */
  public boolean allowed() {
    return reason == Reason.OK || reason == Reason.BYPASSED;
  }

  public Reason reason() {
    return reason;
  }

  /** One entry per limit that was asked, in document order. */
  public List<LimitStatus> statuses() {
    return statuses;
  }

  /** The limit worth telling the caller about; empty when no enforced limit was asked. */
  public Optional<LimitStatus> deciding() {
    return Optional.ofNullable(deciding);
  }

  /** The id of the rule (or bypass token) that decided; empty when none applied. */
  public Optional<String> rule() {
    return Optional.ofNullable(rule);
  }

  /**
   * What could be taken from the deciding limit now; {@link Long#MAX_VALUE} when no limit applied.
   */
  public long remaining() {
    return deciding == null ? Long.MAX_VALUE : deciding.remaining();
  }

  /** Time until the deciding limit is back to full. */
  public Duration reset() {
    return deciding == null ? Duration.ZERO : deciding.reset();
  }

  /** How long to wait before trying again: zero when allowed, empty when waiting cannot help. */
  public Optional<Duration> retryAfter() {
    if (allowed()) {
      return Optional.of(Duration.ZERO);
    }
    return deciding == null ? Optional.empty() : deciding.retryAfter();
  }

  /** How long an admitted call should wait before it goes: the longest any limit asks for. */
  public Duration delay() {
    Duration longest = Duration.ZERO;
    if (allowed()) {
      for (LimitStatus status : statuses) {
        if (status.mode() == Mode.ENFORCE && status.delay().compareTo(longest) > 0) {
          longest = status.delay();
        }
      }
    }
    return longest;
  }

  /** What to settle, release or renew this call by; only after a reserve that was allowed. */
  public Optional<String> reservation() {
    return Optional.ofNullable(reservation);
  }

  /** Whether this was decided without the store that should have been asked. */
  public boolean degraded() {
    for (int i = 0; i < statuses.size(); i++) {
      if (statuses.get(i).degraded()) {
        return true;
      }
    }
    return false;
  }

  /** Who answered: the farthest of those that were asked. */
  public DecisionSource source() {
    DecisionSource farthest = DecisionSource.MEMORY;
    for (int i = 0; i < statuses.size(); i++) {
      DecisionSource source = statuses.get(i).source();
      farthest = source.compareTo(farthest) > 0 ? source : farthest;
    }
    return farthest;
  }

  @Override
  public String toString() {
    return reason + (rule == null ? "" : " by " + rule) + " " + statuses;
  }
}

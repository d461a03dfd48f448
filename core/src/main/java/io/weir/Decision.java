package io.weir;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The decision on a call: whether it may pass and why, the status of each limit, and how long to
 * wait.
 *
 * <p>The <em>deciding</em> limit is the one to report to the caller. For a refusal it is the
 * refusing limit with the longest retry-after, for an admission the limit with the smallest
 * fraction left. On ties it is the first in document order. A limit in shadow mode never decides.
 */
public final class Decision {
  private static final Decision UNLIMITED = new Decision(Reason.OK, List.of(), null, null, null);

  private final Reason reason;
  private final List<LimitStatus> statuses;
  private final @Nullable LimitStatus deciding;
  private final @Nullable ImmediateCause immediate;
  private final @Nullable String reservation;

  /**
   * What decided a call if no limit did. Also stands for a rule that callers do not see.
   *
   * @param rule the rule or bypass token, if any
   * @param blockedFor how long the key is still blocked, if it is
   */
  private record ImmediateCause(@Nullable String rule, @Nullable Duration blockedFor) {}

  private Decision(
      Reason reason,
      List<LimitStatus> statuses,
      @Nullable LimitStatus deciding,
      @Nullable ImmediateCause immediate,
      @Nullable String reservation) {
    this.reason = reason;
    this.statuses = statuses;
    this.deciding = deciding;
    this.immediate = immediate;
    this.reservation = reservation;
  }

  /** The decision on a call that no rule limits: allowed. */
  public static Decision unlimited() {
    return UNLIMITED;
  }

  /**
   * A decision made without checking any limit.
   *
   * @param rule the id of the rule or bypass token that decided, or null
   */
  public static Decision immediate(Reason reason, @Nullable String rule) {
    return new Decision(reason, List.of(), null, new ImmediateCause(rule, null), null);
  }

  /**
   * The refusal of a call whose key is blocked.
   *
   * @param rule the id of the rule whose key it is
   * @param wait how long the block lasts
   */
  public static Decision blocked(String rule, Duration wait) {
    return new Decision(Reason.BLOCKED, List.of(), null, new ImmediateCause(rule, wait), null);
  }

  /** The decision that follows from the status of every limit checked. */
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
      return new Decision(reason, statuses, refusing, null, null);
    }
    return new Decision(Reason.OK, statuses, tightest, null, null);
  }

  public Decision withReservation(String token) {
    return new Decision(reason, statuses, deciding, immediate, token);
  }

  /** Whether the call may pass. */
  public boolean allowed() {
    return reason == Reason.OK || reason == Reason.BYPASSED;
  }

  public Reason reason() {
    return reason;
  }

  /** One entry per limit checked, in document order. */
  public List<LimitStatus> statuses() {
    return statuses;
  }

  /** The limit to report to the caller; empty if no enforced limit was checked. */
  public Optional<LimitStatus> deciding() {
    return Optional.ofNullable(deciding);
  }

  /** The id of the rule or bypass token that decided; empty if none applied. */
  public Optional<String> rule() {
    return Optional.ofNullable(decidingRule());
  }

  private @Nullable String decidingRule() {
    if (immediate != null) {
      return immediate.rule;
    }
    return deciding == null ? null : deciding.rule();
  }

  /**
   * The cost that the deciding limit would still admit now; {@link Long#MAX_VALUE} if no limit
   * applied.
   */
  public long remaining() {
    return deciding == null ? Long.MAX_VALUE : deciding.remaining();
  }

  /** Time until the deciding limit is fully restored. */
  public Duration reset() {
    return deciding == null ? Duration.ZERO : deciding.reset();
  }

  /** How long to wait before a retry: zero if allowed, empty if waiting cannot help. */
  public Optional<Duration> retryAfter() {
    if (allowed()) {
      return Optional.of(Duration.ZERO);
    }
    if (deciding != null) {
      return deciding.retryAfter();
    }
    return immediate == null ? Optional.empty() : Optional.ofNullable(immediate.blockedFor);
  }

  /** How long an admitted call should wait before it proceeds: the longest delay of any limit. */
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

  /**
   * The token by which this call is settled, released or renewed. Present only after a {@code
   * reserve} that was allowed.
   */
  public Optional<String> reservation() {
    return Optional.ofNullable(reservation);
  }

  /**
   * The ids of the rules that the call is over and that mark calls instead of refusing them, in
   * document order.
   */
  public List<String> over() {
    List<String> over = List.of();
    for (int i = 0; i < statuses.size(); i++) {
      LimitStatus status = statuses.get(i);
      if (status.isOver() && !over.contains(status.rule())) {
        over = over.isEmpty() ? new ArrayList<>(2) : over;
        over.add(status.rule());
      }
    }
    return over;
  }

  /**
   * This decision without the limits that callers do not see. It has the same reason; if only such
   * limits refused, it names no rule.
   */
  public Decision visible() {
    for (int i = 0; i < statuses.size(); i++) {
      if (statuses.get(i).hidden()) {
        List<LimitStatus> seen = statuses.stream().filter(status -> !status.hidden()).toList();
        LimitStatus shown = of(seen).deciding;
        boolean decides = shown != null && shown.allowed() == allowed();
        return new Decision(reason, seen, decides ? shown : null, null, reservation);
      }
    }
    return this;
  }

  /** This decision without the name of its rule. */
  public Decision withoutRule() {
    Duration blockedFor = immediate == null ? null : immediate.blockedFor;
    ImmediateCause nameless = new ImmediateCause(null, blockedFor);
    return new Decision(reason, statuses, deciding, nameless, reservation);
  }

  /** Whether any limit was decided by its {@link OnFail}, because the store was unavailable. */
  public boolean degraded() {
    for (int i = 0; i < statuses.size(); i++) {
      if (statuses.get(i).degraded()) {
        return true;
      }
    }
    return false;
  }

  /** The source of the decision; if limits had several, the one farthest from the caller. */
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
    String rule = decidingRule();
    return reason + (rule == null ? "" : " by " + rule) + " " + statuses;
  }
}

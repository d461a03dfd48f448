package io.weir.server.envoy.quota;

import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** One Envoy's part in a bucket: what it asks for, and what it was last told. */
final class EnvoyShare {
  /** An assignment lasts this many periods, or three reports if that is longer. */
  static final int LASTS = 10;

  /** A bucket that nobody asked for in this many periods is abandoned. */
  static final int UNUSED = 60;

  private static final int MOST_LASTS = 600;

  /** More than was asked for, so that demand can grow between two reports. */
  private static final double HEADROOM = 1.25;

  /** Below this part of what it has, an Envoy's share is taken back. */
  private static final double WORTH_KEEPING = 0.6;

  private static final double SHORTEST_SECONDS = 0.02;
  private static final long MOST_REQUESTS = 1_000_000_000;

  private final QuotaId id;
  private final Duration period;
  private final BiConsumer<EnvoyShare, Assignment> sender;
  private @Nullable Assignment told;
  private double perSecond;
  private int lasts = LASTS;
  private long toldAt;
  private long reportedAt;
  private long usedAt;
  private boolean gone;

  EnvoyShare(QuotaId id, Duration period, long now, BiConsumer<EnvoyShare, Assignment> sender) {
    this.id = id;
    this.period = period;
    this.sender = sender;
    this.reportedAt = now;
    this.usedAt = now;
  }

  QuotaId id() {
    return id;
  }

  /** For how long what it is told holds. */
  Duration assignmentLifetime() {
    return period.multipliedBy(lasts);
  }

  /** Takes a report of requests in a time, at this tick. */
  void onReport(long requests, double seconds, long now) {
    reportedAt = now;
    if (requests > 0) {
      usedAt = now;
    }
    // What is reported at once, as on a new assignment, says little of how much is asked for.
    if (told == null || seconds >= SHORTEST_SECONDS) {
      perSecond = requests / Math.max(seconds, SHORTEST_SECONDS);
    }
    double periods = seconds / (period.toNanos() / 1e9);
    lasts = (int) Math.min(MOST_LASTS, Math.max(LASTS, Math.ceil(3 * periods)));
  }

  long reportedAt() {
    return reportedAt;
  }

  /** Requests it would like to let through in a period. */
  long demand() {
    double wanted = Math.ceil(perSecond * period.toNanos() / 1e9 * HEADROOM);
    long now = (long) Math.min(MOST_REQUESTS, Math.max(1, wanted));
    long before = has();
    return now <= before && now >= before * WORTH_KEEPING ? before : now;
  }

  /** Requests that it may let through in a period as it is. */
  long has() {
    return told instanceof Assignment.Requests share ? share.requests() : 0;
  }

  /** What it may have let through since its last report; nobody knows better when it has gone. */
  long unreported(long now) {
    long until = Math.min(now, toldAt + lasts);
    return has() * Math.max(0, until - reportedAt);
  }

  /** The connection has gone; what the Envoy was told holds until it expires. */
  void disconnected() {
    gone = true;
  }

  boolean isGone() {
    return gone;
  }

  /** Whether nothing that it was told holds any more, and no report came either. */
  boolean isOver(long now) {
    long since = gone ? toldAt : Math.max(toldAt, reportedAt);
    return gone && told == null || now - since > lasts;
  }

  boolean isUnused(long now) {
    return now - usedAt > Math.max(UNUSED, lasts);
  }

  /** Whether the Envoy still reports, so that what it was told may go on. */
  private boolean isHeardOf(long now) {
    return now - reportedAt <= lasts;
  }

  /**
   * Nobody knows what it may do; an Envoy that was told nothing does as it is configured already.
   */
  void expire(long now) {
    Assignment last = told;
    if (last != null && canBeTold(now)) {
      assign(new Assignment.Expired(last), now);
      told = null;
    }
  }

  /** Tells the Envoy, unless it knows that already and will for a while. */
  void assign(Assignment assignment, long now) {
    boolean again = now - toldAt >= lasts / 3;
    if (canBeTold(now) && (again || !assignment.equals(told))) {
      told = assignment;
      toldAt = now;
      sender.accept(this, assignment);
    }
  }

  private boolean canBeTold(long now) {
    return !gone && isHeardOf(now);
  }
}

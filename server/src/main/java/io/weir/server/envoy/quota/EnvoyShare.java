package io.weir.server.envoy.quota;

import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** One Envoy's share of a bucket: its demand, and its last assignment. Times are in periods. */
final class EnvoyShare {
  /** Lifetime of an assignment in periods, or three report intervals if that is longer. */
  static final int LIFETIME = 10;

  /** A bucket without requests for this many periods is abandoned. */
  static final int UNUSED = 60;

  private static final int MAX_LIFETIME = 600;

  /** Factor on the reported demand, so that demand can grow between two reports. */
  private static final double HEADROOM = 1.25;

  /** An Envoy's share is reduced if its demand falls below this fraction of the share. */
  private static final double WORTH_KEEPING = 0.6;

  private static final double MIN_SECONDS = 0.02;
  private static final long MAX_REQUESTS = 1_000_000_000;

  private final QuotaId id;
  private final Duration period;
  private final BiConsumer<EnvoyShare, Assignment> sender;
  private @Nullable Assignment assigned;
  private double perSecond;
  private int lifetime = LIFETIME;
  private long assignedAt;
  private long reportedAt;
  private long usedAt;
  private boolean disconnected;

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

  /** Lifetime of its assignments. */
  Duration assignmentLifetime() {
    return period.multipliedBy(lifetime);
  }

  /** Records a report: requests in a time span, received in this period. */
  void onReport(long requests, double seconds, long now) {
    reportedAt = now;
    if (requests > 0) {
      usedAt = now;
    }
    // A report right after another, as on a new assignment, is too short to estimate the demand.
    if (assigned == null || seconds >= MIN_SECONDS) {
      perSecond = requests / Math.max(seconds, MIN_SECONDS);
    }
    double periods = seconds / (period.toNanos() / 1e9);
    lifetime = (int) Math.min(MAX_LIFETIME, Math.max(LIFETIME, Math.ceil(3 * periods)));
  }

  long reportedAt() {
    return reportedAt;
  }

  /** Requests per period that it demands. */
  long demand() {
    double wanted = Math.ceil(perSecond * period.toNanos() / 1e9 * HEADROOM);
    long now = (long) Math.min(MAX_REQUESTS, Math.max(1, wanted));
    long before = assignedRequests();
    return now <= before && now >= before * WORTH_KEEPING ? before : now;
  }

  /** Requests per period that it is assigned. */
  long assignedRequests() {
    return assigned instanceof Assignment.Requests share ? share.requests() : 0;
  }

  /**
   * Upper bound of the requests it allowed since its last report; the best estimate after a
   * disconnect.
   */
  long unreported(long now) {
    long until = Math.min(now, assignedAt + lifetime);
    return assignedRequests() * Math.max(0, until - reportedAt);
  }

  /** The connection has closed; the last assignment holds until it expires. */
  void disconnected() {
    disconnected = true;
  }

  boolean isDisconnected() {
    return disconnected;
  }

  /** Whether its last assignment has expired and no report has arrived since. */
  boolean isOver(long now) {
    long since = disconnected ? assignedAt : Math.max(assignedAt, reportedAt);
    return disconnected && assigned == null || now - since > lifetime;
  }

  boolean isUnused(long now) {
    return now - usedAt > Math.max(UNUSED, lifetime);
  }

  /** Whether the Envoy still sends reports, so that its assignment may be renewed. */
  private boolean isReporting(long now) {
    return now - reportedAt <= lifetime;
  }

  /**
   * Ends the assignment, as the rules cannot be evaluated. An Envoy without an assignment applies
   * its configured behaviour already.
   */
  void expire(long now) {
    Assignment last = assigned;
    if (last != null && isReachable(now)) {
      assign(new Assignment.Expired(last), now);
      assigned = null;
    }
  }

  /** Sends an assignment, unless it equals the last one and that has 2/3 of its lifetime left. */
  void assign(Assignment assignment, long now) {
    boolean again = now - assignedAt >= lifetime / 3;
    if (isReachable(now) && (again || !assignment.equals(assigned))) {
      assigned = assignment;
      assignedAt = now;
      sender.accept(this, assignment);
    }
  }

  private boolean isReachable(long now) {
    return !disconnected && isReporting(now);
  }
}

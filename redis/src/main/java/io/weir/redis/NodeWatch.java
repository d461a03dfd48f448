package io.weir.redis;

import io.weir.tier.Breaker;
import io.weir.time.TimeSource;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes note of how one node answers, and keeps calls from it while it does not.
 *
 * <p>A {@link Breaker} judges by the calls. Bad ones that follow one another within nine tenths of
 * a timeout, with no good one in between, were lost to the same stall, here or there, and count as
 * one: so it takes five timeouts of silence to make five failures in a row, and who asks again when
 * told makes them. A connection that is lost opens it at once; {@link Recovery} closes it as soon
 * as the node answers again, so that callers come back within a second or two of that, whatever the
 * cool-down is. Each turn is logged once.
 */
final class NodeWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeWatch.class);

  /** Calls that may wait for a node at once, whatever their keys; all others are told so. */
  private static final int MOST_WAITING = 10_000;

  /** Timeouts for which a node may be silent while late calls are blamed on this process. */
  private static final int MOST_SILENCE = 10;

  private final String node;
  private final RedisEvents events;
  private volatile boolean invalidLogged;
  private final TimeSource time;
  private final long slowNanos;
  private final long stallMicros;
  private final Breaker breaker = new Breaker(() -> ThreadLocalRandom.current().nextDouble());
  private final Unanswered kept;
  private final Recovery recovery;
  private final AtomicInteger waiting = new AtomicInteger();
  private final Grace grace;
  private final SchedulingLag lag;
  private final long timeoutNanos;

  /** Whether no call has been answered since {@link #silentSince}. */
  private volatile boolean silent;

  private long silentSince;

  /** Whether no good call has come back since {@link #stallBegan}. */
  private volatile boolean stalls;

  private long stallBegan;
  private volatile boolean complained;
  private boolean open;
  private long openSince;
  private volatile boolean closed;

  /** What watches of all nodes share. */
  record Circle(
      RedisEvents events,
      TimeSource time,
      long timeoutNanos,
      Recovery.Timer timer,
      SchedulingLag lag) {
    Circle(RedisEvents events, TimeSource time, long timeoutNanos, Recovery.Timer timer) {
      this(events, time, timeoutNanos, timer, new SchedulingLag());
    }
  }

  NodeWatch(String node, Circle circle, Recovery.Check check) {
    this.node = node;
    this.events = circle.events;
    this.time = circle.time;
    this.slowNanos = circle.timeoutNanos / 10 * 9;
    this.stallMicros = slowNanos / 1000;
    this.kept = Unanswered.kept(node + " is kept from calls");
    this.recovery = new Recovery(circle, check, this);
    this.lag = circle.lag;
    this.timeoutNanos = circle.timeoutNanos;
    this.grace = new Grace(time.micros());
    tell(() -> events.breaker(node, false));
  }

  String node() {
    return node;
  }

  /** Whether a call may be sent there now; one that may has to report what came of it. */
  boolean mayAsk() {
    long now = time.micros();
    grace.called(now);
    return breaker.tryPass(now);
  }

  /** Whether calls are kept from there now; unlike {@link #mayAsk} this says nothing of one. */
  boolean isKept() {
    return breaker.keeps(time.micros());
  }

  /** Whether there is room for another call to wait; one that does has to {@link #leave}. */
  boolean enter() {
    if (waiting.incrementAndGet() <= MOST_WAITING) {
      return true;
    }
    waiting.decrementAndGet();
    return false;
  }

  void leave() {
    waiting.decrementAndGet();
  }

  /** Why a call for which there is no room is not sent. */
  Unanswered full() {
    Unanswered reason = Unanswered.full();
    failed(reason);
    return reason;
  }

  /** Why a call that may not be sent is not. */
  Unanswered kept() {
    tellFailed(kept);
    return kept;
  }

  /** Why a node is not asked to which there is no connection. */
  Unanswered away() {
    Unanswered reason = Unanswered.away(node + " is away");
    tellFailed(reason);
    return reason;
  }

  /** A call was answered. */
  void answered(long nanos) {
    try {
      if (!closed) {
        events.answered(node, nanos);
      }
    } catch (RuntimeException e) {
      complain(e);
    }
    long now = time.micros();
    alive();
    if (nanos > slowNanos && !grace.holds(now) && !isOwnFault(now, nanos)) {
      if (isNews(now) && breaker.succeeded(now, true)) {
        turned("too many calls are slow or fail");
      }
    } else {
      good(now);
    }
  }

  private void good(long now) {
    if (stalls) {
      stalls = false;
    }
    if (breaker.succeeded(now, false)) {
      turned("");
    }
  }

  /**
   * A call was answered, maybe after it had been given up: no good call then, but a sign of life.
   */
  void alive() {
    if (silent) {
      silent = false;
    }
  }

  /** A call met values that Weir did not write. Logged once for each node. */
  void foundInvalid(long values) {
    if (!invalidLogged) {
      invalidLogged = true;
      LOG.warn(
          "Redis {} holds values under Weir's keys that Weir did not write; they count as absent and are"
              + " overwritten. Further ones are only counted, in weir_store_invalid_values_total",
          node);
    }
    tell(() -> events.foundInvalid(node, values));
  }

  /** A call was not answered. */
  void failed(Unanswered reason) {
    failed(reason, 0);
  }

  /**
   * A call was not answered.
   *
   * @param nanos how long its caller waited
   */
  void failed(Unanswered reason, long nanos) {
    tellFailed(reason);
    long now = time.micros();
    if (!reason.kind().isOfNode()) {
      good(now);
    } else if ((reason.kind() != Unanswered.Kind.TIMEOUT || isOpen() || !isForgiven(now, nanos))
        && isNews(now)
        && breaker.failed(now)) {
      turned(String.valueOf(reason.getMessage()));
    }
  }

  /** Nobody waits for a call any more, though its time is not over. */
  void givenUp() {
    breaker.givenUp(time.micros()); // calls were kept away before, and are still
  }

  /** Whether a bad call says anything that those just before it did not. */
  private synchronized boolean isNews(long now) {
    if (!isOpen() && stalls && now - stallBegan < stallMicros) {
      return false;
    }
    stalls = true;
    stallBegan = now;
    return true;
  }

  private boolean isForgiven(long now, long nanos) {
    return grace.holds(now) || isOwnFault(now, nanos);
  }

  /**
   * Whether a call was late because this process did not run for half of a timeout or more. A node
   * that has answered nobody for ten timeouts in which the process did run is held to it all the
   * same.
   */
  private synchronized boolean isOwnFault(long now, long nanos) {
    long stalled = nanos <= 0 ? 0 : lag.within(nanos);
    if (stalled < timeoutNanos / 2) {
      return false;
    }
    if (!silent) {
      silentSince = now - nanos / 1000;
      silent = true;
    }
    long silence = 1000 * (now - silentSince);
    if (silence - lag.within(silence) > MOST_SILENCE * timeoutNanos) {
      return false;
    }
    lag.blame(node, stalled);
    return true;
  }

  /** There is no connection any more. */
  void lost(String reason) {
    if (breaker.trip(time.micros())) {
      turned(reason);
    }
  }

  /** There is a new connection: if calls are kept away, the node may be asked at once. */
  void reached(boolean first) {
    if (first) {
      grace.connected(time.micros());
    }
    if (breaker.state() != Breaker.State.CLOSED) {
      recovery.reached();
    }
  }

  /** The node answered a check. */
  void recovered() {
    if (breaker.recovered(time.micros())) {
      turned("");
    }
  }

  boolean isClosed() {
    return closed;
  }

  boolean isOpen() {
    return breaker.state() != Breaker.State.CLOSED;
  }

  /**
   * Says so if calls are kept away from now on, or no longer. Whoever listens is told under the
   * lock, so that what they hear last is how it is.
   */
  private void turned(String reason) {
    boolean now;
    synchronized (this) {
      now = isOpen();
      if (now == open || closed) {
        return;
      }
      open = now;
      if (now) {
        openSince = time.micros();
        LOG.warn("Redis {} is away: {}; its keys follow on_fail", node, Trouble.inLog(reason));
      } else {
        String seconds = String.format(Locale.ROOT, "%.1f", (time.micros() - openSince) / 1e6);
        LOG.info("Redis {} is back after {} s", node, seconds);
        recovery.end();
      }
      tell(() -> events.breaker(node, now));
    }
    if (now) {
      recovery.begin();
    }
  }

  private void tellFailed(Unanswered reason) {
    if (!closed) {
      tell(() -> events.failed(node, reason.kind().label()));
    }
  }

  private void tell(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException e) {
      complain(e);
    }
  }

  /** Once: whoever listens to calls may fail at each of them, but must not fail them. */
  private void complain(RuntimeException problem) {
    if (!complained) {
      complained = true;
      LOG.error("whoever listens to the calls of {} failed", node, problem);
    }
  }

  /** The node is not one of ours any more. */
  void gone() {
    close();
    tell(() -> events.gone(node));
  }

  /** What happens to calls from now on is no news of the node, and it is asked nothing any more. */
  @Override
  public synchronized void close() {
    closed = true;
  }
}

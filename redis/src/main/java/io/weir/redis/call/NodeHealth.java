package io.weir.redis.call;

import io.weir.redis.RedisEvents;
import io.weir.time.TimeSource;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes note of how one node answers, and keeps calls from it while it does not.
 *
 * <p>A {@link CircuitBreaker} judges by the calls. Bad ones that follow one another within nine
 * tenths of a timeout, with no good one in between, were lost to the same stall, here or there, and
 * count as one: so it takes five timeouts of silence to make five failures in a row, and who asks
 * again when told makes them. A connection that is lost opens it at once; {@link RecoveryProbe}
 * closes it as soon as the node answers again, so that callers come back within a second or two of
 * that, whatever the cool-down is. Each turn is logged once.
 */
public final class NodeHealth implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeHealth.class);

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
  private final CircuitBreaker breaker =
      new CircuitBreaker(() -> ThreadLocalRandom.current().nextDouble());
  private final NoAnswerException kept;
  private final RecoveryProbe recovery;
  private final AtomicInteger waiting = new AtomicInteger();
  private final ColdStartGrace grace;
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
  public record Context(
      RedisEvents events,
      TimeSource time,
      long timeoutNanos,
      RecoveryProbe.Timer timer,
      SchedulingLag lag) {
    public Context(
        RedisEvents events, TimeSource time, long timeoutNanos, RecoveryProbe.Timer timer) {
      this(events, time, timeoutNanos, timer, new SchedulingLag());
    }
  }

  public NodeHealth(String node, Context circle, RecoveryProbe.Probe check) {
    this.node = node;
    this.events = circle.events;
    this.time = circle.time;
    this.slowNanos = circle.timeoutNanos / 10 * 9;
    this.stallMicros = slowNanos / 1000;
    this.kept = NoAnswerException.breakerOpen(node + " is kept from calls");
    this.recovery = new RecoveryProbe(circle, check, this);
    this.lag = circle.lag;
    this.timeoutNanos = circle.timeoutNanos;
    this.grace = new ColdStartGrace(time.micros());
    notifyListener(() -> events.onBreakerChange(node, false));
  }

  public String node() {
    return node;
  }

  /** Whether a call may be sent there now; one that may has to report what came of it. */
  public boolean tryPass() {
    long now = time.micros();
    grace.onCall(now);
    return breaker.tryPass(now);
  }

  /** Whether calls are kept from there now; unlike {@link #tryPass} this says nothing of one. */
  public boolean isBreakerOpen() {
    return breaker.isBlocking(time.micros());
  }

  /** Whether there is room for another call to wait; one that does has to {@link #leave}. */
  public boolean enter() {
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
  public NoAnswerException rejectQueueFull() {
    NoAnswerException reason = NoAnswerException.queueFull();
    onFailure(reason);
    return reason;
  }

  /** Why a call that may not be sent is not. */
  public NoAnswerException rejectByBreaker() {
    notifyFailure(kept);
    return kept;
  }

  /** Why a node is not asked to which there is no connection. */
  public NoAnswerException rejectUnavailable() {
    NoAnswerException reason = NoAnswerException.unavailable(node + " is away");
    notifyFailure(reason);
    return reason;
  }

  /** A call was answered. */
  void onAnswer(long nanos) {
    try {
      if (!closed) {
        events.onAnswer(node, nanos);
      }
    } catch (RuntimeException e) {
      logListenerError(e);
    }
    long now = time.micros();
    onSignOfLife();
    if (nanos > slowNanos && !grace.isActive(now) && !isCausedByProcessLag(now, nanos)) {
      if (isNews(now) && breaker.onSuccess(now, true)) {
        logBreakerChange("too many calls are slow or fail");
      }
    } else {
      countSuccess(now);
    }
  }

  private void countSuccess(long now) {
    if (stalls) {
      stalls = false;
    }
    if (breaker.onSuccess(now, false)) {
      logBreakerChange("");
    }
  }

  /**
   * A call was answered, maybe after it had been given up: no good call then, but a sign of life.
   */
  void onSignOfLife() {
    if (silent) {
      silent = false;
    }
  }

  /** A call met values that Weir did not write. Logged once for each node. */
  void onInvalidValue(long values) {
    if (!invalidLogged) {
      invalidLogged = true;
      LOG.warn(
          "Redis {} holds values under Weir's keys that Weir did not write; they count as absent and are"
              + " overwritten. Further ones are only counted, in weir_store_invalid_values_total",
          node);
    }
    notifyListener(() -> events.onInvalidValue(node, values));
  }

  /** A call was not answered. */
  void onFailure(NoAnswerException reason) {
    onFailure(reason, 0);
  }

  /**
   * A call was not answered.
   *
   * @param nanos how long its caller waited
   */
  void onFailure(NoAnswerException reason, long nanos) {
    notifyFailure(reason);
    long now = time.micros();
    if (!reason.kind().isOfNode()) {
      countSuccess(now);
    } else if ((reason.kind() != NoAnswerException.Kind.TIMEOUT
            || isOpen()
            || !isWithinGrace(now, nanos))
        && isNews(now)
        && breaker.onFailure(now)) {
      logBreakerChange(String.valueOf(reason.getMessage()));
    }
  }

  /** Nobody waits for a call any more, though its time is not over. */
  void onGivenUp() {
    breaker.onGivenUp(time.micros()); // calls were kept away before, and are still
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

  private boolean isWithinGrace(long now, long nanos) {
    return grace.isActive(now) || isCausedByProcessLag(now, nanos);
  }

  /**
   * Whether a call was late because this process did not run for half of a timeout or more. A node
   * that has answered nobody for ten timeouts in which the process did run is held to it all the
   * same.
   */
  private synchronized boolean isCausedByProcessLag(long now, long nanos) {
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
    lag.logLag(node, stalled);
    return true;
  }

  /** There is no connection any more. */
  public void onDisconnect(String reason) {
    if (breaker.trip(time.micros())) {
      logBreakerChange(reason);
    }
  }

  /** There is a new connection: if calls are kept away, the node may be asked at once. */
  public void onConnect(boolean first) {
    if (first) {
      grace.onConnect(time.micros());
    }
    if (breaker.state() != CircuitBreaker.State.CLOSED) {
      recovery.onConnect();
    }
  }

  /** The node answered a check. */
  public void onRecovery() {
    if (breaker.onRecovery(time.micros())) {
      logBreakerChange("");
    }
  }

  boolean isClosed() {
    return closed;
  }

  public boolean isOpen() {
    return breaker.state() != CircuitBreaker.State.CLOSED;
  }

  /**
   * Says so if calls are kept away from now on, or no longer. Whoever listens is told under the
   * lock, so that what they hear last is how it is.
   */
  private void logBreakerChange(String reason) {
    boolean now;
    synchronized (this) {
      now = isOpen();
      if (now == open || closed) {
        return;
      }
      open = now;
      if (now) {
        openSince = time.micros();
        LOG.warn("Redis {} is away: {}; its keys follow on_fail", node, RedisErrors.inLog(reason));
      } else {
        String seconds = String.format(Locale.ROOT, "%.1f", (time.micros() - openSince) / 1e6);
        LOG.info("Redis {} is back after {} s", node, seconds);
        recovery.end();
      }
      notifyListener(() -> events.onBreakerChange(node, now));
    }
    if (now) {
      recovery.begin();
    }
  }

  private void notifyFailure(NoAnswerException reason) {
    if (!closed) {
      notifyListener(() -> events.onFailure(node, reason.kind().label()));
    }
  }

  private void notifyListener(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException e) {
      logListenerError(e);
    }
  }

  /** Once: whoever listens to calls may fail at each of them, but must not fail them. */
  private void logListenerError(RuntimeException problem) {
    if (!complained) {
      complained = true;
      LOG.error("whoever listens to the calls of {} failed", node, problem);
    }
  }

  /** The node is not one of ours any more. */
  public void onRemoved() {
    close();
    notifyListener(() -> events.onNodeRemoved(node));
  }

  /** What happens to calls from now on is no news of the node, and it is asked nothing any more. */
  @Override
  public synchronized void close() {
    closed = true;
  }
}

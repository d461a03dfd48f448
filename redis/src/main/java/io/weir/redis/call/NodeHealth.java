package io.weir.redis.call;

import io.weir.redis.RedisEvents;
import io.weir.time.TimeSource;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks how one node answers, and rejects calls to it while it does not.
 *
 * <p>A {@link CircuitBreaker} judges by the results of calls. Failures less than 0.9 × timeout
 * apart, with no success in between, count as one, because one stall can time out dozens of calls.
 * So the breaker needs five consecutive timeouts (50 ms by default) to open. A lost connection
 * opens it at once. {@link RecoveryProbe} closes it as soon as the node answers again, so that
 * calls return within one or two seconds, whatever the cool-down. Each change is logged once.
 */
public final class NodeHealth implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeHealth.class);

  /** Calls that may wait for a node at once, whatever their keys; further calls are rejected. */
  private static final int MAX_WAITING = 10_000;

  /** Timeouts without a reply after which late calls are no longer attributed to this process. */
  private static final int MAX_SILENT_TIMEOUTS = 10;

  private final String node;
  private final RedisEvents events;
  private volatile boolean invalidLogged;
  private final TimeSource time;
  private final long slowNanos;
  private final long stallMicros;
  private final CircuitBreaker breaker =
      new CircuitBreaker(() -> ThreadLocalRandom.current().nextDouble());
  private final NoAnswerException breakerOpen;
  private final RecoveryProbe recovery;
  private final AtomicInteger waiting = new AtomicInteger();
  private final ColdStartGrace grace;
  private final SchedulingLag lag;
  private final long timeoutNanos;

  /** Whether no call has been answered since {@link #silentSince}. */
  private volatile boolean silent;

  private long silentSince;

  /** Whether no call has succeeded since {@link #stallBegan}. */
  private volatile boolean stalling;

  private long stallBegan;
  private volatile boolean listenerErrorLogged;
  private boolean open;
  private long openSince;
  private volatile boolean closed;

  /** Dependencies that all nodes share. */
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

  public NodeHealth(String node, Context context, RecoveryProbe.Probe probe) {
    this.node = node;
    this.events = context.events;
    this.time = context.time;
    this.slowNanos = context.timeoutNanos / 10 * 9;
    this.stallMicros = slowNanos / 1000;
    this.breakerOpen = NoAnswerException.breakerOpen("the circuit breaker of " + node + " is open");
    this.recovery = new RecoveryProbe(context, probe, this);
    this.lag = context.lag;
    this.timeoutNanos = context.timeoutNanos;
    this.grace = new ColdStartGrace(time.micros());
    notifyListener(() -> events.onBreakerChange(node, false));
  }

  public String node() {
    return node;
  }

  /** Whether a call may be sent to the node now; if so, its result must be reported. */
  public boolean tryPass() {
    long now = time.micros();
    grace.onCall(now);
    return breaker.tryPass(now);
  }

  /**
   * Whether the breaker rejects calls now. Unlike {@link #tryPass} this does not count as a call.
   */
  public boolean isBreakerOpen() {
    return breaker.isBlocking(time.micros());
  }

  /**
   * Takes a waiting place for a call, if one is free. Each success must be paired with {@link
   * #leave}.
   */
  public boolean enter() {
    if (waiting.incrementAndGet() <= MAX_WAITING) {
      return true;
    }
    waiting.decrementAndGet();
    return false;
  }

  void leave() {
    waiting.decrementAndGet();
  }

  /** Rejects a call because all waiting places are taken. */
  public NoAnswerException rejectQueueFull() {
    NoAnswerException reason = NoAnswerException.queueFull();
    onFailure(reason);
    return reason;
  }

  /** Rejects a call because the breaker is open. */
  public NoAnswerException rejectByBreaker() {
    notifyFailure(breakerOpen);
    return breakerOpen;
  }

  /** Rejects a call because there is no connection. */
  public NoAnswerException rejectUnavailable() {
    NoAnswerException reason = NoAnswerException.unavailable(node + " is unavailable");
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
      if (isNewFailure(now) && breaker.onSuccess(now, true)) {
        logBreakerChange("too many calls are slow or failing");
      }
    } else {
      countSuccess(now);
    }
  }

  private void countSuccess(long now) {
    if (stalling) {
      stalling = false;
    }
    if (breaker.onSuccess(now, false)) {
      logBreakerChange("");
    }
  }

  /** A reply arrived, possibly after its caller gave up: no success then, but the node is alive. */
  void onSignOfLife() {
    if (silent) {
      silent = false;
    }
  }

  /** A call found values that Weir did not write. Logged once per node. */
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
        && isNewFailure(now)
        && breaker.onFailure(now)) {
      logBreakerChange(String.valueOf(reason.getMessage()));
    }
  }

  /** A caller gave up before the timeout. */
  void onGivenUp() {
    breaker.onGivenUp(time.micros()); // the breaker was open before and stays open
  }

  /** Whether a bad call counts, that is, does not belong to the same stall as the one before. */
  private synchronized boolean isNewFailure(long now) {
    if (!isOpen() && stalling && now - stallBegan < stallMicros) {
      return false;
    }
    stalling = true;
    stallBegan = now;
    return true;
  }

  private boolean isWithinGrace(long now, long nanos) {
    return grace.isActive(now) || isCausedByProcessLag(now, nanos);
  }

  /**
   * Whether a call was late because this process was not scheduled for at least half a timeout. If
   * the node has not answered any call for ten timeouts in which the process did run, the node is
   * held responsible all the same.
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
    if (silence - lag.within(silence) > MAX_SILENT_TIMEOUTS * timeoutNanos) {
      return false;
    }
    lag.logLag(node, stalled);
    return true;
  }

  /** The connection was lost. */
  public void onDisconnect(String reason) {
    if (breaker.trip(time.micros())) {
      logBreakerChange(reason);
    }
  }

  /** There is a new connection. If the breaker is open, the node is probed at once. */
  public void onConnect(boolean first) {
    if (first) {
      grace.onConnect(time.micros());
    }
    if (breaker.state() != CircuitBreaker.State.CLOSED) {
      recovery.onConnect();
    }
  }

  /** The node answered a probe. */
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
   * Logs and publishes a change between open and closed. The listener is called under the lock, so
   * that the last event it receives matches the state.
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
        LOG.warn(
            "Redis {} is unavailable: {}; its keys follow on_fail",
            node,
            RedisErrors.inLog(reason));
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

  /** Logged once: a listener may fail at every call, but must not fail the call. */
  private void logListenerError(RuntimeException problem) {
    if (!listenerErrorLogged) {
      listenerErrorLogged = true;
      LOG.error("the listener for calls to Redis {} failed", node, problem);
    }
  }

  /** The node has left the deployment. */
  public void onRemoved() {
    close();
    notifyListener(() -> events.onNodeRemoved(node));
  }

  /** Ends events and probes. Results of calls from now on are ignored. */
  @Override
  public synchronized void close() {
    closed = true;
  }
}

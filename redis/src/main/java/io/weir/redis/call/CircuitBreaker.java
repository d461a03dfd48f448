package io.weir.redis.call;

import java.util.Arrays;
import java.util.function.DoubleSupplier;

/**
 * Stops calls to a node that does not answer, so that callers do not wait for it.
 *
 * <pre>
 *            5 failures in a row, or 5% of at least
 *            20 calls in 10 s failed or slow
 *   CLOSED ────────────────────────────────────────► OPEN ◄──────────────┐
 *      ▲                                              │ cool-down is over │
 *      │                                              ▼                   │ twice as long,
 *      └────────────────────────────────────────── PROBING ───────────────┘ up to 30 s
 *                   the probe succeeds                     the probe fails
 * </pre>
 *
 * <p>The first cool-down is 2 s. Each cool-down is extended by a random 0 to 20%, so that instances
 * do not return together. While probing, one call passes and all others are rejected. A component
 * with better knowledge than call results can open the breaker at once ({@link #trip}) or close it
 * before the cool-down ends ({@link #onRecovery}). In the first second after closing, only failures
 * in a row open it again. The breaker reads no clock; times are monotonic, in microseconds.
 */
public final class CircuitBreaker {
  static final long SECOND = 1_000_000;
  private static final int SLICES = 10;
  private static final int MAX_FAILURES_IN_A_ROW = 5;
  private static final int MIN_CALLS = 20;
  private static final int BAD_PERCENT_TO_OPEN = 5;
  private static final long FIRST_COOL_DOWN = 2 * SECOND;
  private static final long MAX_COOL_DOWN = 30 * SECOND;
  private static final double JITTER = 0.2;

  /**
   * Time after closing in which only failures in a row open the breaker. All counts start at 0
   * then, and two late calls of 40 can be chance.
   */
  private static final long SETTLING = SECOND;

  /** How a breaker treats calls. */
  public enum State {
    /** Calls pass. */
    CLOSED,
    /** Calls are rejected. */
    OPEN,
    /** One call has passed; the others are rejected until its result is known. */
    PROBING
  }

  private final DoubleSupplier random;
  private final int[] calls = new int[SLICES];
  private final int[] bad = new int[SLICES];
  private int allCalls;
  private int allBad;
  private long slice = Long.MIN_VALUE;
  private int failedInARow;
  private long coolDown = FIRST_COOL_DOWN;
  private long openUntil;
  private long settledAt = Long.MIN_VALUE;
  private volatile State state = State.CLOSED;

  /**
   * A closed breaker.
   *
   * @param random numbers from 0 to 1 that spread cool-downs
   */
  public CircuitBreaker(DoubleSupplier random) {
    this.random = random;
  }

  public State state() {
    return state;
  }

  /**
   * Whether a call may go to the node now. After a cool-down the first call may pass, and must
   * report its result.
   */
  public boolean tryPass(long now) {
    return state == State.CLOSED || tryProbe(now);
  }

  /** Whether a call would be rejected now. Does not change the state. */
  public boolean isBlocking(long now) {
    return state != State.CLOSED && !probeIsDue(now);
  }

  private synchronized boolean probeIsDue(long now) {
    return state == State.CLOSED || (state == State.OPEN && now >= openUntil);
  }

  private synchronized boolean tryProbe(long now) {
    if (state == State.CLOSED) {
      return true;
    }
    if (!probeIsDue(now)) {
      return false;
    }
    state = State.PROBING;
    return true;
  }

  /**
   * A call was answered.
   *
   * @param slow whether it took longer than it should
   * @return whether the state changed
   */
  public synchronized boolean onSuccess(long now, boolean slow) {
    if (state == State.PROBING) {
      close(now);
      return true;
    }
    failedInARow = 0;
    return count(now, slow);
  }

  /**
   * A call failed or was not answered in time.
   *
   * @return whether the state changed
   */
  public synchronized boolean onFailure(long now) {
    if (onGivenUp(now)) {
      return true;
    }
    failedInARow++;
    return count(now, true);
  }

  /**
   * A caller gave up before the timeout. This is no evidence about the node, but an abandoned probe
   * counts as failed, so that another one can follow.
   *
   * @return whether the state changed
   */
  public synchronized boolean onGivenUp(long now) {
    if (state != State.PROBING) {
      return false;
    }
    coolDown = Math.min(2 * coolDown, MAX_COOL_DOWN);
    open(now);
    return true;
  }

  /**
   * The node is known to be unavailable, whatever the results of calls so far.
   *
   * @return whether the state changed
   */
  public synchronized boolean trip(long now) {
    if (state == State.OPEN) {
      return false;
    }
    open(now);
    return true;
  }

  /**
   * The node is known to answer, even if no call has reached it for a while.
   *
   * @return whether the state changed
   */
  public synchronized boolean onRecovery(long now) {
    if (state == State.CLOSED) {
      return false;
    }
    close(now);
    return true;
  }

  /** Counts a call. Calls that were in flight when the breaker opened are not counted. */
  private boolean count(long now, boolean isBad) {
    if (state != State.CLOSED) {
      return false;
    }
    int at = at(now);
    int worse = isBad ? 1 : 0;
    calls[at]++;
    allCalls++;
    bad[at] += worse;
    allBad += worse;
    boolean tooMany =
        isBad
            && allCalls >= MIN_CALLS
            && allBad * 100L >= (long) BAD_PERCENT_TO_OPEN * allCalls
            && now >= settledAt;
    if (failedInARow < MAX_FAILURES_IN_A_ROW && !tooMany) {
      return false;
    }
    coolDown = FIRST_COOL_DOWN;
    open(now);
    return true;
  }

  /**
   * The current slice of the last ten seconds; slices that have expired since the last call are
   * cleared.
   */
  private int at(long now) {
    long current = Math.floorDiv(now, SECOND);
    for (long i = Math.max(slice + 1, current - SLICES + 1); i <= current; i++) {
      int at = (int) Math.floorMod(i, (long) SLICES);
      allCalls -= calls[at];
      allBad -= bad[at];
      calls[at] = 0;
      bad[at] = 0;
    }
    slice = Math.max(slice, current);
    return (int) Math.floorMod(current, (long) SLICES);
  }

  private void open(long now) {
    openUntil = now + coolDown + (long) (coolDown * JITTER * random.getAsDouble());
    state = State.OPEN;
  }

  private void close(long now) {
    settledAt = now + SETTLING;
    Arrays.fill(calls, 0);
    Arrays.fill(bad, 0);
    allCalls = 0;
    allBad = 0;
    failedInARow = 0;
    coolDown = FIRST_COOL_DOWN;
    state = State.CLOSED;
  }
}

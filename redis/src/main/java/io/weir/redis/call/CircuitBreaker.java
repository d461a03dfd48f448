package io.weir.redis.call;

import java.util.Arrays;
import java.util.function.DoubleSupplier;

/**
 * Keeps calls from a node that does not answer, so that nobody waits for it.
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
 * <p>A cool-down is 2 s and up to a fifth more, so that instances do not return together. While
 * probing, one call goes through and all others are kept away. Whoever knows more than calls can
 * tell may open it at once ({@link #trip}) or close it before a cool-down is over ({@link
 * #recovered}). In the first second after it has closed only failures in a row open it. Knows no
 * clock; times are in microseconds on the monotonic one.
 */
public final class CircuitBreaker {
  static final long SECOND = 1_000_000;
  private static final int SLICES = 10;
  private static final int IN_A_ROW = 5;
  private static final int ENOUGH_CALLS = 20;
  private static final int ONE_IN = 20;
  private static final long FIRST_COOL_DOWN = 2 * SECOND;
  private static final long LONGEST_COOL_DOWN = 30 * SECOND;
  private static final double JITTER = 0.2;

  /**
   * After it has closed, for so long only failures in a row open it again: all counts begin at 0
   * then, and two late calls of 40 are chance.
   */
  private static final long SETTLING = SECOND;

  /** What a breaker does with calls. */
  public enum State {
    /** Lets them through. */
    CLOSED,
    /** Keeps them away. */
    OPEN,
    /** Has let one through, and waits for what comes of it. */
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
   * Whether a call may go to the node now. Of the calls after a cool-down the first may, and must
   * report what came of it.
   */
  public boolean tryPass(long now) {
    return state == State.CLOSED || tryProbe(now);
  }

  /** Whether a call would be kept from the node now; asking changes nothing. */
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
   * @return whether that changed the state
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
   * A call was not answered in time, or not at all.
   *
   * @return whether that changed the state
   */
  public synchronized boolean onFailure(long now) {
    if (onGivenUp(now)) {
      return true;
    }
    failedInARow++;
    return count(now, true);
  }

  /**
   * A call was given up before its time was over. That says nothing of the node, but a probe that
   * nobody waits for has failed, so that there can be another.
   *
   * @return whether that changed the state
   */
  public synchronized boolean onGivenUp(long now) {
    if (state != State.PROBING) {
      return false;
    }
    coolDown = Math.min(2 * coolDown, LONGEST_COOL_DOWN);
    open(now);
    return true;
  }

  /**
   * The node is known to be away, whatever came of calls so far.
   *
   * @return whether that changed the state
   */
  public synchronized boolean trip(long now) {
    if (state == State.OPEN) {
      return false;
    }
    open(now);
    return true;
  }

  /**
   * The node is known to answer, however long ago it was last asked by a call.
   *
   * @return whether that changed the state
   */
  public synchronized boolean onRecovery(long now) {
    if (state == State.CLOSED) {
      return false;
    }
    close(now);
    return true;
  }

  /** Calls that were under way when it opened say nothing new. */
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
        isBad && allCalls >= ENOUGH_CALLS && allBad * (long) ONE_IN >= allCalls && now >= settledAt;
    if (failedInARow < IN_A_ROW && !tooMany) {
      return false;
    }
    coolDown = FIRST_COOL_DOWN;
    open(now);
    return true;
  }

  /** The slice of the last ten seconds that is now; those that have passed meanwhile are empty. */
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

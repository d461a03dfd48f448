package io.weir.limit;

import io.weir.FixedWindow;
import io.weir.base.Micros;

/** Windows of one length, aligned to the clock or with a phase per key. */
final class FixedWindowMeter extends CountMeter {
  private final long window;
  private final boolean aligned;
  private final boolean onWall;

  FixedWindowMeter(FixedWindow limit) {
    this(limit, limit.aligned());
  }

  private FixedWindowMeter(FixedWindow limit, boolean onWall) {
    super(limit);
    this.window = Micros.of(limit.window());
    this.aligned = limit.aligned();
    this.onWall = onWall;
  }

  @Override
  public boolean onWallClock() {
    return onWall;
  }

  @Override
  public Meter onWall() {
    return onWall ? this : new FixedWindowMeter((FixedWindow) limit(), true);
  }

  @Override
  public boolean hasPhase() {
    return !aligned;
  }

  @Override
  public void numbers(Sink sink, long wallNow, long keyHash) {
    sink.add(window);
    sink.add(aligned ? 0 : Math.floorMod(keyHash, window));
    sink.add(capacity());
  }

  @Override
  long endOf(long now, long keyHash) {
    return WindowMath.endOf(now, window, aligned ? 0 : keyHash);
  }

  @Override
  boolean isLike(CountMeter other) {
    return other instanceof FixedWindowMeter meter
        && meter.window == window
        && meter.aligned == aligned;
  }

  @Override
  boolean sharesClock(CountMeter other) {
    return other instanceof FixedWindowMeter meter && meter.aligned == aligned;
  }

  @Override
  boolean inWindow(long end, long now) {
    return now < end && now >= end - window;
  }
}

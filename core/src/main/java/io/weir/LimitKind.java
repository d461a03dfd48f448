package io.weir;

import java.util.Locale;

/** What a limit bounds: a rate, the amount in a calendar period, or the calls in flight. */
public enum LimitKind {
  RATE,
  QUOTA,
  CONCURRENCY;

  private final String id = name().toLowerCase(Locale.ROOT);

  /** The name in responses and problem bodies, such as {@code quota}. */
  public String id() {
    return id;
  }

  @Override
  public String toString() {
    return id;
  }
}

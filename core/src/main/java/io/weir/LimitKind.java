package io.weir;

import java.util.Locale;

/** What a limit bounds: how fast, how much in a calendar period, or how many at once. */
public enum LimitKind {
  RATE,
  QUOTA,
  CONCURRENCY;

  private final String id = name().toLowerCase(Locale.ROOT);

  /** The name in answers and problem bodies, such as {@code quota}. */
  public String id() {
    return id;
  }

  @Override
  public String toString() {
    return id;
  }
}

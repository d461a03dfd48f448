package io.weir.rules.envoy;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** A unit of time with its name and number in Envoy's protocol. */
public enum EnvoyUnit {
  SECOND(1, Duration.ofSeconds(1)),
  MINUTE(2, Duration.ofMinutes(1)),
  HOUR(3, Duration.ofHours(1)),
  DAY(4, Duration.ofDays(1)),
  MONTH(5, Duration.ofDays(30)),
  YEAR(6, Duration.ofDays(365)),
  WEEK(7, Duration.ofDays(7));

  private final int number;
  private final Duration length;

  EnvoyUnit(int number, Duration length) {
    this.number = number;
    this.length = length;
  }

  /** The number of the unit in Envoy's protocol. */
  public int number() {
    return number;
  }

  /** Length of the unit; months and years have a fixed length, as the counters of Envoy do. */
  public Duration length() {
    return length;
  }

  /** The unit of this name, in any case. */
  public static Optional<EnvoyUnit> named(String name) {
    for (EnvoyUnit unit : values()) {
      if (unit.name().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
        return Optional.of(unit);
      }
    }
    return Optional.empty();
  }

  /** The unit of this number. */
  public static Optional<EnvoyUnit> numbered(int number) {
    for (EnvoyUnit unit : values()) {
      if (unit.number == number) {
        return Optional.of(unit);
      }
    }
    return Optional.empty();
  }

  /** The unit of exactly this length. */
  public static Optional<EnvoyUnit> lasting(Duration length) {
    for (EnvoyUnit unit : values()) {
      if (unit.length.equals(length)) {
        return Optional.of(unit);
      }
    }
    return Optional.empty();
  }
}

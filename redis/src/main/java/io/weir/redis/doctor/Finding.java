package io.weir.redis.doctor;

import java.util.Locale;

/**
 * What came of one look at a Redis.
 *
 * @param check what was looked at, in a word
 * @param where at which node; empty if it is about all of them
 * @param text what was found
 * @param advice what to do about it; empty if nothing
 */
public record Finding(String check, String where, Grade grade, String text, String advice) {
  /** How good or bad it is. */
  public enum Grade {
    /** As it should be. */
    OK,
    /** Works, but should be looked into. */
    WARN,
    /** Does not work. */
    FAIL;

    /** The name in answers, such as {@code warn}. */
    public String id() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The same, about the store that goes by this name. */
  public Finding in(String store) {
    return new Finding(check, where.isEmpty() ? store : store + " " + where, grade, text, advice);
  }

  static Finding ok(String check, String where, String text) {
    return new Finding(check, where, Grade.OK, text, "");
  }

  static Finding warn(String check, String where, String text, String advice) {
    return new Finding(check, where, Grade.WARN, text, advice);
  }

  static Finding fail(String check, String where, String text, String advice) {
    return new Finding(check, where, Grade.FAIL, text, advice);
  }
}

package io.weir.redis.doctor;

import java.util.Locale;

/**
 * The result of one check.
 *
 * @param check the name of the check
 * @param where the node; empty if the finding is about all nodes
 * @param text the result
 * @param advice how to fix it; empty if there is nothing to fix
 */
public record Finding(String check, String where, Grade grade, String text, String advice) {
  /** The severity of a finding. */
  public enum Grade {
    /** As it should be. */
    OK,
    /** Works, but needs attention. */
    WARN,
    /** Does not work. */
    FAIL;

    /** The name in output, such as {@code warn}. */
    public String id() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The same finding, for the store with this name. */
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

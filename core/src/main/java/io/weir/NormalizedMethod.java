package io.weir;

/**
 * The one form of a method: rules match it in any case, so ASCII letters are in upper case.
 *
 * <p>A method that is in upper case already, as nearly all are, is returned as it is.
 */
public final class NormalizedMethod {
  private NormalizedMethod() {}

  /** The normal form of a method. */
  public static String of(String method) {
    for (int i = 0; i < method.length(); i++) {
      if (isLower(method.charAt(i))) {
        return inUpperCase(method);
      }
    }
    return method;
  }

  /** Unlike {@code String.toUpperCase}, this never turns another letter into an ASCII one. */
  private static String inUpperCase(String method) {
    char[] letters = method.toCharArray();
    for (int i = 0; i < letters.length; i++) {
      if (isLower(letters[i])) {
        letters[i] -= 'a' - 'A';
      }
    }
    return new String(letters);
  }

  private static boolean isLower(char c) {
    return c >= 'a' && c <= 'z';
  }
}

package io.weir.base;

/**
 * Normalizes a request method to upper case (ASCII), as rules match methods in any case.
 *
 * <p>A method that is in upper case already, as nearly all are, is returned unchanged.
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

  /** Unlike {@code String.toUpperCase}, this never maps another letter to an ASCII letter. */
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

package io.weir.control.text;

import java.nio.charset.StandardCharsets;

/**
 * Text that both databases give back as it was written. PostgreSQL takes no NUL, and half of a
 * surrogate pair has no UTF-8 form: such text would change on the way and break its hash.
 */
public final class StorableText {
  private StorableText() {}

  /**
   * A text of at most this many characters.
   *
   * @throws IllegalArgumentException naming the field if it is longer or cannot be stored
   */
  public static String require(String field, String text, int most) {
    if (text.length() > most) {
      throw new IllegalArgumentException(field + " has at most " + most + " characters");
    }
    return require(field, text);
  }

  /**
   * A text of any length.
   *
   * @throws IllegalArgumentException naming the field if it cannot be stored
   */
  public static String require(String field, String text) {
    if (text.indexOf('\0') >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new IllegalArgumentException(field + " has characters that cannot be stored");
    }
    return text;
  }
}

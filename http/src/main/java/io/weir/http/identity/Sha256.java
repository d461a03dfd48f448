package io.weir.http.identity;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Hashes secrets that callers present, so that the secrets themselves are not stored. */
public final class Sha256 {
  private static final HexFormat HEX = HexFormat.of();

  private Sha256() {}

  /** SHA-256 of a text, 64 hex digits in lower case. */
  public static String hex(String text) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HEX.formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  /** Whether a text has the form of such a hash. */
  public static boolean isHex(String text) {
    boolean hex = text.length() == 64;
    for (int i = 0; i < text.length() && hex; i++) {
      hex = HexFormat.isHexDigit(text.charAt(i));
    }
    return hex;
  }
}

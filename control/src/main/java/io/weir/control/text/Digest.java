package io.weir.control.text;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * SHA-256 over a list of fields. Each field is preceded by its length, so that no two lists give
 * the same bytes.
 */
public final class Digest {
  private final MessageDigest sha256;

  public Digest() {
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  public Digest add(String field) {
    byte[] bytes = field.getBytes(StandardCharsets.UTF_8);
    sha256.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
    sha256.update(bytes);
    return this;
  }

  public Digest add(long field) {
    sha256.update(ByteBuffer.allocate(Long.BYTES).putLong(field).array());
    return this;
  }

  /** 64 hex digits. */
  public String hex() {
    return HexFormat.of().formatHex(sha256.digest());
  }

  /** The digest of one text. */
  public static String of(String text) {
    return new Digest().add(text).hex();
  }
}

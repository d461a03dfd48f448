package io.weir.adjust;

import io.weir.Key;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * A key without its values: what a database stores, and what a call's key is compared with.
 *
 * <p>The 64-bit hash is cheap and finds candidates. Anybody can construct values with an equal one,
 * so the digest decides.
 *
 * @param hash the fixed hash of the values, without a rule; see {@link Key#fixedHash}
 * @param sha256 the first 32 hex digits of the SHA-256 of the values, each preceded by its length
 */
public record KeyIdentity(long hash, String sha256) {
  private static final int DIGEST_BYTES = 16;

  /** The identity of a key with these values, in the order of the rule's dimensions. */
  public static KeyIdentity of(List<String> values) {
    return of(Key.of(values.toArray(String[]::new)));
  }

  public static KeyIdentity of(Key key) {
    return new KeyIdentity(key.fixedHash(""), digest(key));
  }

  /** The digest of a key's values; takes about a microsecond. */
  static String digest(Key key) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      for (String value : key.parts()) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        sha256.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
        sha256.update(bytes);
      }
      return HexFormat.of().formatHex(sha256.digest(), 0, DIGEST_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}

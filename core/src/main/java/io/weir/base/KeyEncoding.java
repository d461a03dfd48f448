package io.weir.base;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/**
 * Encodes a key tuple as one text that is unique to it, and hashes that text.
 *
 * <p>Parts are joined with {@code :}. Inside a part, every character but letters, digits and {@code
 * - _ . ~ @ / +} is written as {@code %XXXX} (UTF-16). So one value cannot pass as two, break out
 * of a key name, or inject a line break into a log.
 *
 * <p>The hash is 64-bit FNV-1a over the characters of {@code rule id, NUL, text} with a final mix.
 * It is the same on every instance and across restarts. Windows derive their phase from it, and
 * {@code percent} its share of keys.
 */
public final class KeyEncoding {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  /** The length of the longest value that is not replaced by its digest, in characters. */
  public static final int MAX_LENGTH = 8192;

  private static final String DIGEST = "sha256:";

  /** 32 bytes in base64. */
  private static final int DIGEST_LENGTH = DIGEST.length() + 43;

  private KeyEncoding() {}

  /**
   * Whether a value is replaced by its digest in a key: if it is too long, or if it looks like such
   * a digest and could pass as another value.
   */
  public static boolean isDigested(String value) {
    int length = value.length();
    return length > MAX_LENGTH || (length == DIGEST_LENGTH && value.startsWith(DIGEST));
  }

  /** The digest of a value, the same on every instance. */
  public static String digest(String value) {
    try {
      // Not by a charset: it would encode all unpaired surrogates alike.
      byte[] bytes = new byte[2 * value.length()];
      for (int i = 0; i < value.length(); i++) {
        bytes[2 * i] = (byte) (value.charAt(i) >>> 8);
        bytes[2 * i + 1] = (byte) value.charAt(i);
      }
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return DIGEST + Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  /**
   * The values as a key holds them, with digests of long ones; the same array if none is replaced.
   */
  public static String[] digested(String... values) {
    long total = 0;
    for (String value : values) {
      total += value.length();
    }
    String[] kept = values;
    for (int i = 0; i < values.length; i++) {
      String value = values[i];
      if (isDigested(value) || (total > MAX_LENGTH && value.length() > DIGEST_LENGTH)) {
        kept = kept == values ? values.clone() : kept;
        kept[i] = digest(value);
      }
    }
    return kept;
  }

  /** The parts as one text. */
  public static String join(String... parts) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < parts.length; i++) {
      if (i > 0) {
        out.append(':');
      }
      escape(parts[i], out);
    }
    return out.toString();
  }

  private static void escape(String part, StringBuilder out) {
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (isPlain(c)) {
        out.append(c);
      } else {
        out.append('%');
        for (int shift = 12; shift >= 0; shift -= 4) {
          out.append(HEX[(c >>> shift) & 15]);
        }
      }
    }
  }

  private static boolean isPlain(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= '0' && c <= '9')
        || (c >= 'A' && c <= 'Z')
        || c == '-'
        || c == '_'
        || c == '.'
        || c == '~'
        || c == '@'
        || c == '/'
        || c == '+';
  }

  /**
   * The fixed hash of a rule and a key. Equals the hash of the joined text, but does not build it.
   */
  public static long hash(String rule, List<String> parts) {
    long hash = feed(feed(FNV_OFFSET, rule), '\0');
    for (int i = 0; i < parts.size(); i++) {
      if (i > 0) {
        hash = feed(hash, ':');
      }
      hash = feedEscaped(hash, parts.get(i));
    }
    return mix(hash);
  }

  /** The fixed hash of a rule and a key of one part. */
  public static long hash(String rule, String key) {
    return mix(feedEscaped(feed(feed(FNV_OFFSET, rule), '\0'), key));
  }

  private static long feedEscaped(long hash, String part) {
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (isPlain(c)) {
        hash = feed(hash, c);
      } else {
        hash = feed(hash, '%');
        for (int shift = 12; shift >= 0; shift -= 4) {
          hash = feed(hash, HEX[(c >>> shift) & 15]);
        }
      }
    }
    return hash;
  }

  private static long feed(long hash, String text) {
    for (int i = 0; i < text.length(); i++) {
      hash = feed(hash, text.charAt(i));
    }
    return hash;
  }

  private static long feed(long hash, char c) {
    return (hash ^ c) * FNV_PRIME;
  }

  private static long mix(long h) {
    h = (h ^ (h >>> 33)) * 0xff51afd7ed558ccdL;
    h = (h ^ (h >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return h ^ (h >>> 33);
  }
}

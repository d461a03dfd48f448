package io.weir.rules.envoy;

import io.weir.limit.Bounds;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * Makes an id of the place of a limit: {@code domain.key_value.key}, as {@code
 * envoyproxy/ratelimit} names its counters.
 *
 * <p>Ids name counts in the store, so they depend on the place alone, and a limit whose numbers
 * change keeps its counts. They may hold only what names may; a place that cannot be written like
 * that, or reads like another one, gets a hash of the whole.
 */
final class LimitIds {
  private static final int LONGEST = 64;
  private static final int READABLE = 48;
  private static final int HASH_BYTES = 6;

  private final Set<String> given = new HashSet<>();

  /** The id of the place that these steps lead to. */
  String of(String domain, List<EnvoyDescriptor> steps) {
    StringBuilder text = new StringBuilder(domain);
    StringBuilder exact = new StringBuilder(domain);
    for (EnvoyDescriptor step : steps) {
      text.append('.').append(step.key());
      exact.append('\0').append(step.key()).append('\1').append(step.value());
      if (!step.value().isEmpty()) {
        text.append('_').append(step.value());
      }
    }
    String readable = text.toString();
    boolean plain = readable.length() <= LONGEST && isName(readable);
    String id = plain && given.add(readable) ? readable : hashed(readable, exact.toString());
    given.add(id);
    return id;
  }

  /** A text as a name: itself if it is one, otherwise what can be read of it and a hash. */
  static String name(String text) {
    return isName(text) && text.length() <= READABLE ? text : hashed(text, text);
  }

  private static String hashed(String readable, String exact) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < Math.min(READABLE, readable.length()); i++) {
      char c = readable.charAt(i);
      name.append(Bounds.isNameChar(c) ? c : '_');
    }
    return name.append('-').append(hash(exact)).toString();
  }

  private static boolean isName(String text) {
    return text.chars().allMatch(c -> Bounds.isNameChar((char) c));
  }

  private static String hash(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(hash, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}

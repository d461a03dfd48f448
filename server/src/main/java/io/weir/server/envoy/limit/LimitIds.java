package io.weir.server.envoy.limit;

import io.weir.base.ExactNumbers;
import io.weir.rules.envoy.EnvoyDescriptor;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Derives the id of a limit from its place in the files: {@code domain.key_value.key}, as {@code
 * envoyproxy/ratelimit} names its counters.
 *
 * <p>Ids name counts in the store. They do not depend on a limit's numbers, so a limit keeps its
 * counts when its numbers change. An id holds only characters that are valid in names; a place that
 * needs others gets a hash of its full text appended. The same happens if the id equals that of an
 * earlier limit in the files: if two such limits swap places in the files, they swap ids and
 * counts.
 *
 * <p>Ids are metric labels too, and labels must not contain an address or a path. Values that may
 * contain one appear in the id as a hash.
 */
final class LimitIds {
  private static final int MAX_LENGTH = 64;
  private static final int READABLE = 48;
  private static final int HASH_BYTES = 6;

  /** An IPv4 or IPv6 address or network anywhere in a value, or a path. */
  private static final Pattern NOT_FOR_LABELS =
      Pattern.compile("[/\\\\]|:[^:]*:|(?<![A-Za-z])(\\d{1,3}\\.){3}\\d");

  /** Part of an address, as in patterns. Matched in linear time. */
  private static final Pattern PART_OF_ADDRESS =
      Pattern.compile("(?=[^.]*\\.)(?=[^*]*\\*)[\\d*][\\d.*]*");

  private final Set<String> given = new HashSet<>();

  /** The id of the place at the end of these steps. */
  String of(String domain, List<EnvoyDescriptor> steps) {
    StringBuilder text = new StringBuilder(domain);
    StringBuilder exact = new StringBuilder(domain);
    for (EnvoyDescriptor step : steps) {
      text.append('.').append(step.key());
      exact.append('\0').append(step.key()).append('\1').append(step.value());
      if (!step.value().isEmpty()) {
        text.append('_').append(shown(step.value()));
      }
    }
    String readable = text.toString();
    boolean plain = readable.length() <= MAX_LENGTH && isName(readable);
    String id = plain && given.add(readable) ? readable : hashed(readable, exact.toString());
    given.add(id);
    return id;
  }

  private static String shown(String value) {
    return NOT_FOR_LABELS.matcher(value).find() || PART_OF_ADDRESS.matcher(value).matches()
        ? hash(value)
        : value;
  }

  /** A text as a name: itself if it is valid, otherwise its readable part and a hash. */
  static String name(String text) {
    return isName(text) && text.length() <= READABLE ? text : hashed(text, text);
  }

  private static String hashed(String readable, String exact) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < Math.min(READABLE, readable.length()); i++) {
      char c = readable.charAt(i);
      name.append(ExactNumbers.isNameChar(c) ? c : '_');
    }
    return name.append('-').append(hash(exact)).toString();
  }

  private static boolean isName(String text) {
    return text.chars().allMatch(c -> ExactNumbers.isNameChar((char) c));
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

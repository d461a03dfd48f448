package io.weir.server.envoy.limit;

import io.weir.ExactNumbers;
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
 * Makes an id of the place of a limit: {@code domain.key_value.key}, as {@code
 * envoyproxy/ratelimit} names its counters.
 *
 * <p>Ids name counts in the store, so they do not depend on a limit's numbers, and one whose
 * numbers change keeps its counts. They may hold only what names may; a place that cannot be
 * written like that gets a hash of the whole. So does one that reads like another before it in the
 * files: if the two change places there, they change ids too, and counts with them.
 *
 * <p>Ids are labels of metrics as well, which hold no address and no path: values of the file in
 * which there may be one are in the id as a hash.
 */
final class LimitIds {
  private static final int LONGEST = 64;
  private static final int READABLE = 48;
  private static final int HASH_BYTES = 6;

  /** An address or network of either kind somewhere in a value, or a path. */
  private static final Pattern NOT_FOR_LABELS =
      Pattern.compile("[/\\\\]|:[^:]*:|(?<![A-Za-z])(\\d{1,3}\\.){3}\\d");

  /** A part of an address, as patterns have it. Matched in linear time. */
  private static final Pattern PART_OF_ADDRESS =
      Pattern.compile("(?=[^.]*\\.)(?=[^*]*\\*)[\\d*][\\d.*]*");

  private final Set<String> given = new HashSet<>();

  /** The id of the place that these steps lead to. */
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
    boolean plain = readable.length() <= LONGEST && isName(readable);
    String id = plain && given.add(readable) ? readable : hashed(readable, exact.toString());
    given.add(id);
    return id;
  }

  private static String shown(String value) {
    return NOT_FOR_LABELS.matcher(value).find() || PART_OF_ADDRESS.matcher(value).matches()
        ? hash(value)
        : value;
  }

  /** A text as a name: itself if it is one, otherwise what can be read of it and a hash. */
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

package io.weir.http.identity;

import io.weir.http.RequestHead;
import io.weir.time.TimeSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Identifies callers by the API key in a header.
 *
 * <p>A key is an identity only if it is known, or if the operator accepts any key; otherwise a
 * client could invent keys and get a fresh limit with each. The attribute {@code api_key} is the
 * beginning of the key's hash, so that the key itself does not leave this class.
 *
 * <p>Known keys are lines of a file, each a hash and its attributes:
 *
 * <pre>
 * # printf %s "$KEY" | sha256sum
 * 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b user=42 tenant=acme
 * </pre>
 */
public final class ApiKeys {
  /** Poll interval of the file. */
  static final Duration POLL_INTERVAL = Duration.ofSeconds(2);

  /** Number of hex digits of the hash in the attribute, enough to avoid collisions. */
  private static final int HASH_DIGITS = 32;

  private static final Map<String, Map<String, String>> ANY = Map.of();

  private final String header;
  private final boolean any;
  private final ReloadingValue<Map<String, Map<String, String>>> known;

  private ApiKeys(
      String header, boolean any, ReloadingValue<Map<String, Map<String, String>>> known) {
    this.header = header.toLowerCase(Locale.ROOT);
    this.any = any;
    this.known = known;
  }

  /** Accepts every key, known or not. */
  static ApiKeys any(String header, TimeSource time) {
    return new ApiKeys(
        header,
        true,
        ReloadingValue.begin("any key", java.util.Optional::empty, time, POLL_INTERVAL, ANY));
  }

  /**
   * Accepts the keys whose hashes are in a file, which is reloaded when it changes.
   *
   * @throws IOException with the reason if the file is invalid
   */
  static ApiKeys inFile(String header, Path file, TimeSource time) throws IOException {
    FileSource<Map<String, Map<String, String>>> source =
        new FileSource<>(file, text -> parse(file, text));
    return new ApiKeys(
        header, false, ReloadingValue.begin(file.toString(), source, time, POLL_INTERVAL));
  }

  void tick() {
    known.tick();
  }

  /** Attributes of the request's key; empty if it has no accepted key. */
  Map<String, String> attributes(RequestHead head) {
    List<String> keys = head.headers(header);
    if (keys.size() != 1 || keys.get(0).isBlank()) {
      return Map.of();
    }
    String hash = Sha256.hex(keys.get(0).strip());
    if (any) {
      return Map.of("api_key", hash.substring(0, HASH_DIGITS));
    }
    return known.get().getOrDefault(hash, Map.of());
  }

  private static Map<String, Map<String, String>> parse(Path file, String text) throws IOException {
    Map<String, Map<String, String>> known = new HashMap<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String[] words = line.strip().split("\\s+");
      if (words[0].isEmpty() || words[0].startsWith("#")) {
        continue;
      }
      String location = file + ":" + number + ": ";
      if (!Sha256.isHex(words[0])) {
        throw new IOException(location + "a line begins with the SHA-256 of a key, 64 hex digits");
      }
      String hash = words[0].toLowerCase(Locale.ROOT);
      if (known.put(hash, attributes(hash, words, location)) != null) {
        throw new IOException(location + "this key is there twice");
      }
    }
    return known;
  }

  private static Map<String, String> attributes(String hash, String[] words, String location)
      throws IOException {
    Map<String, String> attributes = new LinkedHashMap<>();
    attributes.put("api_key", hash.substring(0, HASH_DIGITS));
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals < 1 || equals == words[i].length() - 1) {
        throw new IOException(location + "'" + words[i] + "' is not such as user=42");
      }
      String name = words[i].substring(0, equals);
      if (Identity.isReserved(name)) {
        throw new IOException(location + name + " is reserved; a key cannot set it");
      }
      attributes.put(name, words[i].substring(equals + 1));
    }
    return Map.copyOf(attributes);
  }
}

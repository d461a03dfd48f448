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
 * Tells callers apart by the key they bring in a header.
 *
 * <p>A key is an identity only if it is known, or if the operator takes any: who could invent keys
 * would otherwise get a fresh limit with each. The attribute {@code api_key} is the beginning of
 * the key's hash, so that the key itself goes no further than this.
 *
 * <p>Known keys are lines of a file, each a hash and what it stands for:
 *
 * <pre>
 * # printf %s "$KEY" | sha256sum
 * 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b user=42 tenant=acme
 * </pre>
 */
public final class ApiKeys {
  /** How often the file is looked at. */
  static final Duration EVERY = Duration.ofSeconds(2);

  /** Enough of a hash that no two keys are alike. */
  private static final int SHOWN = 32;

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

  /** Takes every key, also one just invented. */
  static ApiKeys any(String header, TimeSource time) {
    return new ApiKeys(
        header, true, ReloadingValue.begin("any key", java.util.Optional::empty, time, EVERY, ANY));
  }

  /**
   * Takes the keys whose hashes are in a file, which is read again when it changes.
   *
   * @throws IOException with a reason in words if the file is no good
   */
  static ApiKeys inFile(String header, Path file, TimeSource time) throws IOException {
    FileSource<Map<String, Map<String, String>>> source =
        new FileSource<>(file, text -> parse(file, text));
    return new ApiKeys(header, false, ReloadingValue.begin(file.toString(), source, time, EVERY));
  }

  void tick() {
    known.tick();
  }

  /** What a request's key says of its caller; empty if it has none that counts. */
  Map<String, String> attributes(RequestHead head) {
    List<String> keys = head.headers(header);
    if (keys.size() != 1 || keys.get(0).isBlank()) {
      return Map.of();
    }
    String hash = Sha256.hex(keys.get(0).strip());
    if (any) {
      return Map.of("api_key", hash.substring(0, SHOWN));
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
      String place = file + ":" + number + ": ";
      if (!Sha256.isHex(words[0])) {
        throw new IOException(place + "a line begins with the SHA-256 of a key, 64 hex digits");
      }
      String hash = words[0].toLowerCase(Locale.ROOT);
      if (known.put(hash, attributes(hash, words, place)) != null) {
        throw new IOException(place + "this key is there twice");
      }
    }
    return known;
  }

  private static Map<String, String> attributes(String hash, String[] words, String place)
      throws IOException {
    Map<String, String> attributes = new LinkedHashMap<>();
    attributes.put("api_key", hash.substring(0, SHOWN));
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals < 1 || equals == words[i].length() - 1) {
        throw new IOException(place + "'" + words[i] + "' is not such as user=42");
      }
      String name = words[i].substring(0, equals);
      if (Identity.isReserved(name)) {
        throw new IOException(place + name + " is not for keys to say");
      }
      attributes.put(name, words[i].substring(equals + 1));
    }
    return Map.copyOf(attributes);
  }
}

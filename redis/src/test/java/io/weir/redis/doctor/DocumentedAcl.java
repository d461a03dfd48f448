package io.weir.redis.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rights that docs/deploy/redis.md documents, read from that page. */
public final class DocumentedAcl {
  private static final String PAGE = read();

  /** For a single Redis, behind Sentinels or in a ring. */
  public static final List<String> RULES =
      words(
          "redis-cli ACL SETUSER weir on '>CHANGE-ME' ([^\\n]+)",
          "the command that makes a user of Weir's own");

  /** Further rights on a Cluster. */
  static final List<String> FOR_CLUSTER = words("\\| in a Cluster \\| `([^`]+)`", "a Cluster");

  /** Further rights for the doctor. */
  static final List<String> FOR_DOCTOR = words("\\| for the doctor \\| `([^`]+)`", "the doctor");

  private DocumentedAcl() {}

  private static String read() {
    try {
      return Files.readString(Path.of("../docs/deploy/redis.md"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The words after the pattern, without shell quotes and table escapes. */
  private static List<String> words(String pattern, String what) {
    Matcher matcher = Pattern.compile(pattern).matcher(PAGE);
    if (!matcher.find()) {
      throw new AssertionError("docs/deploy/redis.md does not say the rights for " + what);
    }
    return List.of(matcher.group(1).replaceAll("['\\\\]", "").split(" ", -1));
  }

  public static List<String> inCluster() {
    return together(RULES, FOR_CLUSTER);
  }

  static List<String> together(List<String> some, List<String> more) {
    List<String> all = new ArrayList<>(some);
    all.addAll(more);
    return List.copyOf(all);
  }

  /** The commands among the rules, such as {@code script|load}. */
  public static List<String> commands(List<String> rules) {
    return rules.stream()
        .filter(rule -> rule.startsWith("+"))
        .map(rule -> rule.substring(1))
        .toList();
  }
}

package io.weir.server.config;

import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.base.RateSyntax;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/**
 * The text of a setting, and what it can be read as. Each reading throws {@link
 * IllegalArgumentException} with the reason why the text is not valid.
 *
 * @param source the origin: a file and line, a variable, or an option
 * @param base what a path in it is relative to
 */
record SettingValue(String text, String source, Path base) {
  private static final Duration MAX_TIME = Duration.ofHours(24);

  /** The value of a variable or an option. */
  SettingValue(String text, String source) {
    this(text, source, Path.of(""));
  }

  ListenAddress address() {
    return ListenAddress.parse(text);
  }

  Path path() {
    return base.resolve(text);
  }

  Path readableFile() {
    Path path = path();
    if (!Files.isReadable(path)) {
      throw new IllegalArgumentException(path + " cannot be read");
    }
    return path;
  }

  long count(long least) {
    long count = RateSyntax.wholeNumber("value", text);
    if (count < least) {
      throw new IllegalArgumentException(count + " is less than " + least);
    }
    return count;
  }

  /** A number in a range. */
  int number(int least, int most) {
    long number = count(least);
    if (number > most) {
      throw new IllegalArgumentException(number + " is more than " + most);
    }
    return (int) number;
  }

  /** A number from 1; values above the maximum are clamped to it. */
  int atMost(int most) {
    return (int) Math.min(most, count(1));
  }

  TokenBucket rate() {
    if (Limit.parse(text) instanceof TokenBucket bucket) {
      return bucket;
    }
    throw new IllegalArgumentException("must be a rate such as 200000/s");
  }

  /** As envoyproxy/ratelimit reads a flag. */
  boolean flag() {
    return flag(text);
  }

  static boolean flag(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "1", "t", "true" -> true;
      case "0", "f", "false" -> false;
      default -> throw new IllegalArgumentException("'" + text + "' is neither true nor false");
    };
  }

  double ratio() {
    double ratio = Double.parseDouble(text);
    if (!(ratio >= 0 && ratio <= 1)) {
      throw new IllegalArgumentException(text + " is not between 0 and 1");
    }
    return ratio;
  }

  /** The name of a header to send, with any character that is valid in a name. */
  String header() {
    return header(text, "[A-Za-z0-9!#$%&'*+.^_`|~-]+");
  }

  /** The name of a header to read, in lower case. */
  String lowerCaseHeader() {
    return header(text.toLowerCase(Locale.ROOT), "[a-z0-9_-]*");
  }

  private String header(String name, String pattern) {
    if (!name.matches(pattern)) {
      throw new IllegalArgumentException("'" + text + "' is not the name of a header");
    }
    return name;
  }

  String secret() {
    if (text.length() < 16) {
      throw new IllegalArgumentException("a secret must have at least 16 characters");
    }
    return text;
  }

  /** A duration of at most one day. */
  Duration time() {
    Duration time = RateSyntax.parse(text);
    if (time.compareTo(MAX_TIME) > 0) {
      throw new IllegalArgumentException("is more than a day");
    }
    return time;
  }

  /** A timeout of at most one day. */
  Duration timeout() {
    Duration time = time();
    if (time.isZero()) {
      throw new IllegalArgumentException("must be more than 0");
    }
    return time;
  }

  /** A timeout of at most {@code longest}. */
  Duration timeout(Duration longest) {
    Duration timeout = RateSyntax.parse(text);
    if (timeout.isZero() || timeout.compareTo(longest) > 0) {
      throw new IllegalArgumentException("must be from 1ms to " + RateSyntax.print(longest));
    }
    return timeout;
  }
}

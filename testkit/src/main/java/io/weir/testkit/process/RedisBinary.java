package io.weir.testkit.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A {@code redis-server} executable. Two come with the build, so that tests need only a JDK and
 * Maven and run on the same Redis on every machine: 7.0, the default, and 6.2, the oldest version
 * that Weir supports.
 *
 * <p>The environment variable {@code WEIR_TEST_REDIS} replaces the default by the path of another
 * server, Valkey's for example, or by {@code installed}, the {@code redis-server} on the PATH.
 *
 * @param path the executable
 * @param version such as {@code 7.0.15}
 */
public record RedisBinary(Path path, String version) {
  static final String VARIABLE = "WEIR_TEST_REDIS";
  static final String INSTALLED = "installed";

  private static final Pattern VERSION = Pattern.compile("v=((\\d+)\\.(\\d+)\\S*)");

  /** The one that {@code WEIR_TEST_REDIS} names, or else {@link #bundled()}. */
  public static RedisBinary find() {
    return LazyBinary.BINARY;
  }

  /** Redis 7.0, unpacked from the build's dependencies into a temporary folder. */
  public static RedisBinary bundled() {
    return BundledRedis.binary();
  }

  /** Redis 6.2, the oldest version that is supported, unpacked likewise. */
  public static RedisBinary oldest() {
    return BundledRedis.oldest();
  }

  /** Any other build of the server, Valkey's for example. */
  public static RedisBinary at(Path executable) {
    Matcher matcher =
        VERSION.matcher(ChildProcess.run(List.of(executable.toString(), "--version")));
    if (!matcher.find()) {
      throw new IllegalArgumentException(executable + " does not print its version");
    }
    return new RedisBinary(executable, matcher.group(1));
  }

  /**
   * @param setting the value of {@code WEIR_TEST_REDIS}, empty if it is not set
   * @param path the value of {@code PATH}
   */
  static RedisBinary chosen(String setting, String path) {
    if (setting.isBlank()) {
      return bundled();
    }
    Path executable = setting.equals(INSTALLED) ? installed(path) : Path.of(setting);
    if (!Files.isExecutable(executable)) {
      throw new IllegalArgumentException(
          VARIABLE + "=" + setting + ": " + executable + " is not an executable file");
    }
    RedisBinary binary = at(executable.toAbsolutePath());
    if (!binary.isAtLeast(7, 0)) {
      throw new IllegalArgumentException(
          String.format(
              "%s=%s is Redis %s; tests need 7.0 or later (6.2 has tests of its own)",
              VARIABLE, setting, binary.version));
    }
    return binary;
  }

  private static Path installed(String path) {
    return Stream.of(path.split(":", -1))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, "redis-server"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    VARIABLE + "=" + INSTALLED + ": there is no redis-server on the PATH"));
  }

  public boolean isAtLeast(int major, int minor) {
    Matcher matcher = VERSION.matcher("v=" + version);
    if (!matcher.matches()) {
      throw new IllegalStateException("not a version: " + version);
    }
    int ownMajor = Integer.parseInt(matcher.group(2));
    return ownMajor > major || (ownMajor == major && Integer.parseInt(matcher.group(3)) >= minor);
  }

  /** Found once, on first use. */
  private static final class LazyBinary {
    static final RedisBinary BINARY =
        chosen(
            Optional.ofNullable(System.getenv(VARIABLE)).orElse(""),
            Optional.ofNullable(System.getenv("PATH")).orElse(""));
  }
}

package io.weir.testkit.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds a {@code redis-server} to run: the one installed here, or else the 6.2 that came with the
 * build, so that the tests need nothing but a JDK and Maven.
 *
 * @param path the executable
 * @param version such as {@code 7.0.15}
 */
public record RedisBinary(Path path, String version) {
  private static final Pattern VERSION = Pattern.compile("v=((\\d+)\\.(\\d+)\\S*)");

  /** The installed one if Weir supports it (6.2 or later), else the embedded one. */
  public static RedisBinary find() {
    return installed().filter(binary -> binary.isAtLeast(6, 2)).orElseGet(RedisBinary::embedded);
  }

  /** The {@code redis-server} on the PATH. */
  public static Optional<RedisBinary> installed() {
    return Installed.BINARY;
  }

  /** Redis 6.2, unpacked from the build's dependencies into a temporary folder. */
  public static RedisBinary embedded() {
    return Embedded.BINARY;
  }

  /** Any other build of the server, Valkey's for example. */
  public static RedisBinary at(Path executable) {
    Matcher matcher =
        VERSION.matcher(ChildProcess.run(List.of(executable.toString(), "--version")));
    if (!matcher.find()) {
      throw new IllegalArgumentException(executable + " does not say its version");
    }
    return new RedisBinary(executable, matcher.group(1));
  }

  public boolean isAtLeast(int major, int minor) {
    Matcher matcher = VERSION.matcher("v=" + version);
    if (!matcher.matches()) {
      throw new IllegalStateException("not a version: " + version);
    }
    int ownMajor = Integer.parseInt(matcher.group(2));
    return ownMajor > major || (ownMajor == major && Integer.parseInt(matcher.group(3)) >= minor);
  }

  /** Looked up once. */
  private static final class Installed {
    static final Optional<RedisBinary> BINARY =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
            .filter(folder -> !folder.isEmpty())
            .map(folder -> Path.of(folder, "redis-server"))
            .filter(Files::isExecutable)
            .findFirst()
            .map(RedisBinary::at);
  }

  /** Unpacked once. */
  private static final class Embedded {
    static final RedisBinary BINARY =
        candidates().stream()
            .flatMap(name -> unpack(name).stream())
            .findFirst()
            .orElseThrow(
                () -> new IllegalStateException("no embedded redis-server runs here: install one"));

    /** Best first. The amd64 build needs OpenSSL 3 on the machine; the 386 build needs nothing. */
    private static List<String> candidates() {
      String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
      boolean arm = System.getProperty("os.arch").equals("aarch64");
      if (system.contains("mac")) {
        return List.of("redis-server-6.2.6-v5-darwin-" + (arm ? "arm64" : "amd64"));
      }
      return arm
          ? List.of("redis-server-6.2.7-linux-arm64")
          : List.of("redis-server-6.2.6-v5-linux-amd64", "redis-server-6.2.7-linux-386");
    }

    /** Empty if the binary does not run on this machine. */
    private static Optional<RedisBinary> unpack(String name) {
      Path file = Scratch.create("redis-binary").file("redis-server");
      try (InputStream binary = RedisBinary.class.getResourceAsStream("/" + name)) {
        if (binary == null) {
          throw new IllegalStateException(name + " is not on the class path");
        }
        Files.copy(binary, file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      if (!file.toFile().setExecutable(true)) {
        throw new IllegalStateException("cannot make " + file + " executable");
      }
      try {
        return Optional.of(at(file));
      } catch (IllegalStateException | UncheckedIOException doesNotRun) {
        return Optional.empty();
      }
    }
  }
}

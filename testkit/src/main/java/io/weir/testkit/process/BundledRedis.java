package io.weir.testkit.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/**
 * The servers inside two libraries: 7.0 in {@code org.signal:embedded-redis}, 6.2 in {@code
 * com.github.codemonstur:embedded-redis}. Only these binaries of the libraries are used. The
 * classes of the two have the same names and must not be loaded.
 */
final class BundledRedis {
  private static final boolean MAC =
      System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac");
  private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

  private BundledRedis() {}

  static RedisBinary binary() {
    return Default.BINARY.orElseThrow(
        () ->
            new IllegalStateException(
                "no bundled redis-server runs here; name another in " + RedisBinary.VARIABLE));
  }

  /** Skips the test on a Mac whose 6.2 lacks a library; on Linux one of the two always runs. */
  static RedisBinary oldest() {
    Assumptions.assumeTrue(
        !MAC || Oldest.BINARY.isPresent(), "Redis 6.2 needs Homebrew's openssl@3 or Rosetta here");
    return Oldest.BINARY.orElseThrow(
        () -> new IllegalStateException("no bundled redis-server 6.2 runs here"));
  }

  /** Statically linked, with TLS. */
  private static final class Default {
    static final Optional<RedisBinary> BINARY =
        first(
            List.of(
                "redis-server-7.0.15-" + (MAC ? "darwin-" : "linux-") + (ARM ? "arm64" : "amd64")));
  }

  /** In order of preference. The first on Linux amd64 and on macOS arm64 needs OpenSSL 3. */
  private static final class Oldest {
    static final Optional<RedisBinary> BINARY = first(MAC ? onMac() : onLinux());

    /** The amd64 build runs on arm64 too where Rosetta is installed. */
    private static List<String> onMac() {
      String amd64 = "redis-server-6.2.6-v5-darwin-amd64";
      return ARM ? List.of("redis-server-6.2.6-v5-darwin-arm64", amd64) : List.of(amd64);
    }

    private static List<String> onLinux() {
      return ARM
          ? List.of("redis-server-6.2.7-linux-arm64")
          : List.of("redis-server-6.2.6-v5-linux-amd64", "redis-server-6.2.7-linux-386");
    }
  }

  private static Optional<RedisBinary> first(List<String> names) {
    return names.stream().flatMap(name -> unpack(name).stream()).findFirst();
  }

  /** Empty if the binary does not run on this machine. */
  private static Optional<RedisBinary> unpack(String name) {
    Path file = TempFolder.create("redis-binary").file("redis-server");
    try (InputStream binary = BundledRedis.class.getResourceAsStream("/" + name)) {
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
      return Optional.of(RedisBinary.at(file));
    } catch (IllegalStateException | UncheckedIOException doesNotRun) {
      return Optional.empty();
    }
  }
}

package io.weir.testkit.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A program that some tests need and that a machine may lack. It is searched only on the PATH, so
 * that {@code .ci/bare} can hide it.
 *
 * <p>Where it is missing, these tests are skipped, unless its variable is set, as in the part of
 * {@code .ci/run} that has installed it. The tests carry {@link #tag()}, by which that part selects
 * them.
 */
public enum OptionalTool {
  NGINX("nginx", "nginx"),
  CHROMIUM("browser", "chromium", "chromium-browser", "google-chrome"),
  PYTHON("python", "python3");

  private final String tag;
  private final List<String> names;

  OptionalTool(String tag, String... names) {
    this.tag = tag;
    this.names = List.of(names);
  }

  /** The JUnit tag of tests that need it. */
  public String tag() {
    return tag;
  }

  /** Set where a missing tool fails the test, such as {@code WEIR_REQUIRE_NGINX}. */
  String variable() {
    return "WEIR_REQUIRE_" + name();
  }

  public Optional<Path> find() {
    return find(tool -> true);
  }

  private Optional<Path> find(Predicate<Path> usable) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
        .filter(folder -> !folder.isEmpty())
        .flatMap(folder -> names.stream().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .filter(usable)
        .findFirst();
  }

  /** The tool; skips the test if there is none and none is required. */
  public Path get() {
    return get("", tool -> true);
  }

  /**
   * The first tool that is usable.
   *
   * @param with the requirement for being usable, for the message
   */
  public Path get(String with, Predicate<Path> usable) {
    String what = (names.get(0) + " " + with).strip();
    Optional<Path> found = find(usable);
    boolean required = System.getenv().containsKey(variable());
    Assumptions.assumeTrue(required || found.isPresent(), what + " is not installed");
    return found.orElseThrow(
        () -> new IllegalStateException(what + " is required and not installed"));
  }
}

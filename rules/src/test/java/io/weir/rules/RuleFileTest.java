package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every kind of valid change to the files is in force within two seconds; an invalid one never. */
class RuleFileTest {
  private static final Duration IN_FORCE = Duration.ofSeconds(2);

  @TempDir private Path folder;
  @TempDir private Path beside;
  private Path file;
  private final List<LoadResult<RuleSet>> results = new CopyOnWriteArrayList<>();
  private final List<RuleFile> open = new CopyOnWriteArrayList<>();

  @BeforeEach
  void writeRules() throws IOException {
    file = Files.writeString(folder.resolve("rules.yaml"), rules(1));
  }

  @AfterEach
  void close() {
    open.forEach(RuleFile::close);
  }

  private static String rules(int limit) {
    return "version: 1\nrules: [{ id: r, key: [ip], limit: " + limit + "/s }]\n";
  }

  private RuleFile watch(Path path) {
    RuleFile rules = RuleFile.at(path);
    open.add(rules);
    assertThat(rules.load().isValid()).isTrue();
    rules.watch(results::add);
    return rules;
  }

  private void awaitLimit(int limit) {
    await()
        .atMost(IN_FORCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> !results.isEmpty() && limitOf(last()).equals(limit + "/s"));
  }

  private LoadResult<RuleSet> last() {
    return results.get(results.size() - 1);
  }

  private static String limitOf(LoadResult<RuleSet> loaded) {
    return loaded
        .value()
        .map(set -> set.rules().get(0).limits())
        .map(limits -> ((RuleLimits.Listed) limits).limits().get(0).toString())
        .orElse("none");
  }

  @Test
  void detectsAFileWrittenInPlace() throws IOException {
    watch(file);
    Files.writeString(file, rules(2));
    awaitLimit(2);
  }

  @Test
  void detectsAFileReplacedByRename() throws IOException {
    watch(file);
    Path next = Files.writeString(folder.resolve(".rules.yaml.swp"), rules(2));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    awaitLimit(2);
  }

  @Test
  void detectsAFileOfTheSameSizeAndTime() throws IOException {
    FileTime time = FileTime.fromMillis(1_000_000_000_000L);
    Files.setLastModifiedTime(file, time);
    watch(file);
    Path next = Files.writeString(folder.resolve("next"), rules(2));
    Files.setLastModifiedTime(next, time);
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    awaitLimit(2);
  }

  @Test
  void detectsAFileDeletedAndCreatedAgain() throws IOException {
    watch(file);
    Files.delete(file);
    await().atMost(IN_FORCE).until(() -> !results.isEmpty() && !last().isValid());
    assertThat(last().problems())
        .extracting(Problem::reason)
        .containsExactly("there is no such file");
    Files.writeString(file, rules(2));
    awaitLimit(2);
  }

  @Test
  void detectsAFileAddedToAFolder() throws IOException {
    watch(folder);
    Files.writeString(folder.resolve("a.yaml"), rules(2).replace("id: r", "id: a"));
    awaitLimit(2);
    assertThat(last().value().orElseThrow().rules()).hasSize(2);
  }

  @Test
  void detectsAConfigMapUpdate() throws IOException {
    Path mount = Files.createDirectory(folder.resolve("mount"));
    Path one = Files.createDirectory(mount.resolve("..2026_01"));
    Path two = Files.createDirectory(mount.resolve("..2026_02"));
    Files.writeString(one.resolve("rules.yaml"), rules(1));
    Files.writeString(two.resolve("rules.yaml"), rules(2));
    Files.createSymbolicLink(mount.resolve("..data"), Path.of("..2026_01"));
    Files.createSymbolicLink(mount.resolve("rules.yaml"), Path.of("..data/rules.yaml"));
    watch(mount);
    Path next = Files.createSymbolicLink(mount.resolve("..data_tmp"), Path.of("..2026_02"));
    Files.move(next, mount.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    awaitLimit(2);
  }

  /** A time after all earlier changes and not after later ones, by the file system's clock. */
  private Instant aTickLater() {
    Instant before = Instant.now();
    AtomicReference<Instant> tick = new AtomicReference<>(before);
    await()
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              Path touched = Files.writeString(beside.resolve("tick"), "");
              tick.set(Files.getLastModifiedTime(touched).toInstant());
              return tick.get().isAfter(before);
            });
    return tick.get();
  }

  @Test
  void changeTimeReflectsAnOldFileMovedIntoPlace() throws IOException {
    FileTime longAgo = FileTime.fromMillis(1_000_000_000_000L);
    Files.setLastModifiedTime(file, longAgo);
    Path next = Files.writeString(folder.resolve("next"), rules(2));
    Files.setLastModifiedTime(next, longAgo);
    Instant before = aTickLater();
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);

    assertThat(RuleFile.at(file).changed().orElseThrow()).isAfterOrEqualTo(before);
  }

  @Test
  void changeTimeReflectsARemovedFile() throws IOException {
    Files.writeString(folder.resolve("gone.yaml"), rules(2));
    FileTime longAgo = FileTime.fromMillis(1_000_000_000_000L);
    Files.setLastModifiedTime(folder, longAgo);
    Instant before = aTickLater();
    Files.delete(folder.resolve("gone.yaml"));

    assertThat(RuleFile.at(folder).changed().orElseThrow()).isAfterOrEqualTo(before);
  }

  @Test
  void changeTimeReflectsALinkSwitchedToAnOldFile() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link.yaml"), Path.of("rules.yaml"));
    Path data = Files.createSymbolicLink(folder.resolve("..data"), Path.of("."));
    Path through = Files.createSymbolicLink(folder.resolve("t"), Path.of("..data/rules.yaml"));
    Instant before = aTickLater();
    assertThat(RuleFile.at(link).changed().orElseThrow()).isBefore(before);

    Path next = Files.createSymbolicLink(folder.resolve("next"), Path.of("rules.yaml"));
    Files.move(next, link, StandardCopyOption.ATOMIC_MOVE);
    assertThat(RuleFile.at(link).changed().orElseThrow()).isAfterOrEqualTo(before);

    assertThat(RuleFile.at(through).changed().orElseThrow()).isBefore(before);
    next = Files.createSymbolicLink(folder.resolve("next"), Path.of("."));
    Files.move(next, data, StandardCopyOption.ATOMIC_MOVE);
    assertThat(RuleFile.at(through).changed().orElseThrow()).isAfterOrEqualTo(before);
  }

  @Test
  void hasNoChangeTimeWithoutFiles() {
    assertThat(RuleFile.at(folder.resolve("none.yaml")).changed()).isEmpty();
  }

  @Test
  void survivesAListenerThatThrows() throws IOException {
    RuleFile rules = RuleFile.at(file);
    open.add(rules);
    rules.watch(
        loaded -> {
          results.add(loaded);
          throw new IllegalStateException("not today");
        });
    awaitLimit(1);
    Files.writeString(file, rules(2));
    awaitLimit(2);
    assertThatThrownBy(() -> rules.watch(results::add)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void reportsAnInvalidFileOnceAndOnlyIfItStaysInvalid() throws IOException {
    RuleFile rules = RuleFile.at(file);
    rules.load();
    Files.writeString(file, "version: 1\nrules: [{ id: r, k");
    assertThat(rules.poll()).isEmpty();
    Files.writeString(file, "version: 1\nrules: [{ id: r, key: [ip], li");
    assertThat(rules.poll()).isEmpty();
    assertThat(rules.poll().orElseThrow().isValid()).isFalse();
    assertThat(rules.poll()).isEmpty();
    assertThat(rules.poll()).isEmpty();
    Files.writeString(file, rules(1));
    assertThat(rules.poll().orElseThrow().isValid()).isTrue();
    assertThat(rules.poll()).isEmpty();
  }

  /** A poll may see it half written while the old content is restored. */
  @Test
  void reportsTheOldContentAgainAfterAnInvalidOne() throws IOException {
    RuleFile rules = RuleFile.at(file);
    rules.load();
    Files.writeString(file, "version: 1\nrules: 7\n");
    assertThat(rules.poll()).isEmpty();
    assertThat(rules.poll().orElseThrow().isValid()).isFalse();
    Files.writeString(file, "");
    assertThat(rules.poll()).isEmpty();
    Files.writeString(file, rules(1));
    assertThat(rules.poll().orElseThrow().isValid()).isTrue();
  }

  @Test
  void doesNotReportAFileThatIsBrieflyInvalid() throws IOException {
    RuleFile rules = RuleFile.at(file);
    rules.load();
    Files.writeString(file, "");
    assertThat(rules.poll()).isEmpty();
    Files.writeString(file, rules(1));
    assertThat(rules.poll()).isEmpty();
    assertThat(rules.poll()).isEmpty();
  }

  @Test
  void doesNotReportTheSameTextWrittenAgain() throws IOException {
    RuleFile rules = RuleFile.at(file);
    rules.load();
    Files.writeString(file, rules(1));
    Files.setLastModifiedTime(file, FileTime.fromMillis(5));
    assertThat(rules.poll()).isEmpty();
  }

  @Test
  void doesNotReadAFileThatIsTheSame() throws IOException {
    Files.setLastModifiedTime(file, FileTime.fromMillis(5));
    RuleFile rules = RuleFile.at(file);
    rules.load();
    assertThat(rules.poll()).isEmpty();
  }

  @Test
  void startsWithTheLastGoodRulesWhenThePresentOnesAreBad() throws IOException {
    Optional<Path> state = Optional.of(folder.resolve("state/weir"));
    assertThat(RuleFile.at(file, state).load().isLastGood()).isFalse();

    Files.writeString(file, "version: 1\nrules: 7\n");
    RuleFile restarted = RuleFile.at(file, state);
    LoadResult<RuleSet> loaded = restarted.load();
    assertThat(loaded.isLastGood()).isTrue();
    assertThat(limitOf(loaded)).isEqualTo("1/s");
    assertThat(loaded.errors())
        .extracting(Problem::reason)
        .containsExactly("rules must be a list, not '7'");
    assertThat(restarted.poll()).isEmpty();

    Files.writeString(file, rules(3));
    assertThat(limitOf(restarted.poll().orElseThrow())).isEqualTo("3/s");
    Files.delete(file);
    assertThat(limitOf(RuleFile.at(file, state).load())).isEqualTo("3/s");
    assertThat(RuleFile.at(folder.resolve("other.yaml"), state).load().value()).isEmpty();
    try (var files = Files.list(folder.resolve("state/weir"))) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void worksWithoutAUsableLastGoodFolder() throws IOException {
    Path state = Files.createDirectory(folder.resolve("state"));
    RuleFile.at(file, Optional.of(state)).load();
    try (var files = Files.list(state)) {
      Files.writeString(files.findFirst().orElseThrow(), "[{\"name\": tru");
    }
    Files.writeString(file, "");
    assertThat(RuleFile.at(file, Optional.of(state)).load().value()).isEmpty();

    Files.writeString(file, rules(1));
    assertThat(RuleFile.at(file, Optional.of(file)).load().isValid()).isTrue();
  }

  @Test
  void stopsWhenClosed() throws IOException {
    RuleFile rules = watch(file);
    rules.close();
    Files.writeString(file, rules(2));
    await().during(Duration.ofMillis(700)).atMost(IN_FORCE).until(results::isEmpty);
    rules.close();
  }
}

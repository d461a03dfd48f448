package io.weir.rules.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.rules.LoadResult;
import io.weir.rules.Problem;
import io.weir.rules.ReloadableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnvoyFolderTest {
  @TempDir private Path folder;

  private static String domain(String name, int limit) {
    return "domain: "
        + name
        + "\ndescriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: "
        + limit
        + " } }]\n";
  }

  private static EnvoyDomains load(Path path) {
    return load(path, EnvoyOptions.DEFAULT);
  }

  private static EnvoyDomains load(Path path, EnvoyOptions options) {
    LoadResult<EnvoyDomains> loaded = EnvoyFolder.load(path, options);
    assertThat(loaded.problems()).isEmpty();
    return loaded.value().orElseThrow();
  }

  private static long limitOf(EnvoyDomains config) {
    return ((EnvoyLimit.Counted) config.limits().get(0).terms()).requestsPerUnit();
  }

  @Test
  void readsFilesOfAnyName() throws IOException {
    Files.writeString(folder.resolve("a.yaml"), domain("a", 1));
    Files.writeString(folder.resolve("b"), domain("b", 1));
    Files.writeString(folder.resolve("c.json"), "{\"domain\": \"c\"}");
    Files.createDirectory(folder.resolve("inside"));
    Files.writeString(folder.resolve("inside/d.conf"), domain("d", 1));
    assertThat(load(folder).domains()).hasSize(4);
    assertThat(load(folder.resolve("b")).domains()).hasSize(1);
  }

  @Test
  void readsDotFilesOnlyIfConfigured() throws IOException {
    Files.writeString(folder.resolve(".a.yaml"), domain("a", 1));
    Files.createDirectory(folder.resolve(".git"));
    Files.writeString(folder.resolve(".git/b.yaml"), domain("b", 1));
    assertThat(load(folder).domains()).isEmpty();
    assertThat(load(folder, new EnvoyOptions(true, false, "")).domains()).hasSize(1);
  }

  @Test
  void reportsUnreadableFiles() {
    assertThat(EnvoyFolder.load(folder.resolve("none"), EnvoyOptions.DEFAULT).problems())
        .extracting(Problem::reason)
        .containsExactly("there is no such file");
  }

  @Test
  void refusesMoreFilesThanAThousand() throws IOException {
    for (int i = 0; i <= 1000; i++) {
      Files.createFile(folder.resolve(i + ".yaml"));
    }
    assertThat(EnvoyFolder.load(folder, EnvoyOptions.DEFAULT).problems())
        .extracting(Problem::reason)
        .containsExactly("the folder holds more than 1000 files");
  }

  @Test
  void followsAConfigMapThroughItsSwaps() throws IOException {
    Path mount = Files.createDirectory(folder.resolve("config"));
    for (int i = 1; i <= 2; i++) {
      Path version = Files.createDirectory(mount.resolve("..2026_0" + i));
      Files.writeString(version.resolve("d.yaml"), domain("d", i));
    }
    Files.createSymbolicLink(mount.resolve("..data"), Path.of("..2026_01"));
    Files.createSymbolicLink(mount.resolve("d.yaml"), Path.of("..data/d.yaml"));
    List<LoadResult<EnvoyDomains>> results = new CopyOnWriteArrayList<>();
    try (EnvoyFolder files = EnvoyFolder.at(mount, Optional.empty(), EnvoyOptions.DEFAULT)) {
      assertThat(limitOf(files.load().value().orElseThrow())).isEqualTo(1);
      files.watch(ReloadableFiles.POLL_INTERVAL, results::add);
      Path next = Files.createSymbolicLink(mount.resolve("..data_tmp"), Path.of("..2026_02"));
      Files.move(next, mount.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
      await().atMost(Duration.ofSeconds(2)).until(() -> !results.isEmpty());
      assertThat(limitOf(results.get(0).value().orElseThrow())).isEqualTo(2);
    }
  }

  /** RUNTIME_WATCH_ROOT: the root is a link that is switched to the next release. */
  @Test
  void followsARootLinkToAnotherRelease() throws IOException {
    for (int i = 1; i <= 2; i++) {
      Path config = Files.createDirectories(folder.resolve("releases/" + i + "/config"));
      Files.writeString(config.resolve("d.yaml"), domain("d", i));
    }
    Path root = Files.createSymbolicLink(folder.resolve("current"), Path.of("releases/1"));
    List<LoadResult<EnvoyDomains>> results = new CopyOnWriteArrayList<>();
    try (EnvoyFolder files =
        EnvoyFolder.at(root.resolve("config"), Optional.empty(), EnvoyOptions.DEFAULT)) {
      assertThat(limitOf(files.load().value().orElseThrow())).isEqualTo(1);
      files.watch(Duration.ofMillis(20), results::add);
      Path next = Files.createSymbolicLink(folder.resolve("next"), Path.of("releases/2"));
      Files.move(next, root, StandardCopyOption.ATOMIC_MOVE);
      await().atMost(Duration.ofSeconds(10)).until(() -> !results.isEmpty());
      assertThat(limitOf(results.get(0).value().orElseThrow())).isEqualTo(2);
    }
  }

  @Test
  void keepsTheOldConfigurationIfANewOneIsInvalidEvenAcrossARestart() throws IOException {
    Path file = Files.writeString(folder.resolve("d.yaml"), domain("d", 1));
    Optional<Path> state = Optional.of(folder.resolve(".state"));
    try (EnvoyFolder files = EnvoyFolder.at(folder, state, EnvoyOptions.DEFAULT)) {
      assertThat(files.load().isValid()).isTrue();
      Files.writeString(file, "domain: d\ndescriptors: [{ key: k, rate_limit: {} }]\n");
      assertThat(files.poll()).isEmpty();
      LoadResult<EnvoyDomains> bad = files.poll().orElseThrow();
      assertThat(bad.value()).isEmpty();
      assertThat(bad.problems()).singleElement().asString().startsWith(file + ":2: ");
    }
    try (EnvoyFolder files = EnvoyFolder.at(folder, state, EnvoyOptions.DEFAULT)) {
      LoadResult<EnvoyDomains> restarted = files.load();
      assertThat(restarted.isValid()).isFalse();
      assertThat(limitOf(restarted.value().orElseThrow())).isEqualTo(1);
      Files.writeString(file, domain("d", 3));
      assertThat(limitOf(files.poll().orElseThrow().value().orElseThrow())).isEqualTo(3);
    }
  }
}

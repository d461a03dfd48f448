package io.weir.control.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.time.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseOpenerTest {
  private final VirtualTime time = new VirtualTime();

  private record Resource(AtomicInteger closes) implements AutoCloseable {
    @Override
    public void close() {
      closes.incrementAndGet();
    }
  }

  private final AtomicInteger closes = new AtomicInteger();
  private final AtomicInteger attempts = new AtomicInteger();

  @Test
  void triesEveryFiveSecondsUntilItOpens() {
    DatabaseOpener<Resource> opener = opener(failing(3));
    opener.start();
    assertThat(opener.unavailable()).contains("attempt 1");
    time.advance(Duration.ofMillis(4999));
    assertThat(attempts).hasValue(1);
    time.advance(Duration.ofMillis(5001));
    assertThat(opener.unavailable()).contains("attempt 3");
    time.advance(Duration.ofSeconds(5));

    assertThat(opener.unavailable()).isEmpty();
    assertThat(opener.get()).isPresent();
    assertThat(opener.opened()).isCompleted();
    time.advance(Duration.ofSeconds(20));
    assertThat(attempts).hasValue(4);
  }

  @Test
  void onlyTheOwnerReadsTheFile(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("state").resolve("control");
    try (Database database = Database.open(new DatabaseSettings.Embedded(file, "test"), time)) {
      assertThat(database.settings().description()).endsWith("control.mv.db");
      assertThat(Files.getPosixFilePermissions(file.getParent()))
          .isEqualTo(PosixFilePermissions.fromString("rwx------"));
      assertThat(Files.getPosixFilePermissions(file.resolveSibling("control.mv.db")))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
  }

  @Test
  void aRequestWaitsForTheDatabaseThenFailsWithTheReason() {
    DatabaseOpener<Resource> opener = opener(failing(2));
    opener.start();
    CompletableFuture<Resource> early = opener.within(Duration.ofSeconds(5).minusMillis(1));
    CompletableFuture<Resource> late = opener.within(Duration.ofSeconds(12));
    assertThat(early).isNotDone();

    time.advance(Duration.ofSeconds(10));

    assertThatThrownBy(early::join)
        .hasCauseInstanceOf(DatabaseUnavailableException.class)
        .hasMessageContaining("attempt 1");
    assertThat(late).isCompleted();
  }

  @Test
  void neverBlocksTheCaller() {
    CompletableFuture<Runnable> task = new CompletableFuture<>();
    DatabaseOpener<Resource> opener =
        new DatabaseOpener<>(() -> new Resource(closes), time, task::complete);

    opener.start();

    assertThat(opener.get()).isEmpty();
    assertThat(opener.unavailable()).isPresent();
    task.join().run();
    assertThat(opener.get()).isPresent();
  }

  @Test
  void closesADatabaseThatOpensTooLate() {
    CompletableFuture<Runnable> task = new CompletableFuture<>();
    AtomicInteger opens = new AtomicInteger();
    DatabaseOpener<?>[] self = new DatabaseOpener<?>[1];
    DatabaseOpener<Resource> opener =
        new DatabaseOpener<>(
            () -> {
              opens.incrementAndGet();
              self[0].close();
              return new Resource(closes);
            },
            time,
            task::complete);
    self[0] = opener;
    opener.start();
    task.join().run();

    assertThat(opens).hasValue(1);
    assertThat(closes).hasValue(1);
    assertThat(opener.get()).isEmpty();
  }

  @Test
  void closeEndsTheAttempts() {
    DatabaseOpener<Resource> opener = opener(failing(99));
    opener.start();
    opener.close();
    time.advance(Duration.ofSeconds(20));
    assertThat(attempts).hasValue(1);
  }

  @Test
  @Tag("process")
  void aFileLockedByAnotherProcessNamesTheHolderAndOpensLater(@TempDir Path folder)
      throws Exception {
    Path file = folder.resolve("control");
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Process holder =
        new ProcessBuilder(
                java.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                LockHolder.class.getName(),
                file.toString())
            .redirectErrorStream(true)
            .start();
    try (DatabaseOpener<Database> opener =
        new DatabaseOpener<>(
            () -> Database.open(new DatabaseSettings.Embedded(file, "this test"), time),
            time,
            Runnable::run)) {
      var output = holder.inputReader(StandardCharsets.UTF_8);
      String line = output.readLine();
      while (line != null && !line.equals(LockHolder.READY)) {
        line = output.readLine();
      }
      assertThat(line).isEqualTo(LockHolder.READY);
      opener.start();
      assertThat(opener.unavailable().orElseThrow())
          .contains("control.mv.db is locked by " + LockHolder.NAME);
      time.advance(Duration.ofSeconds(5));
      assertThat(opener.get()).isEmpty();

      holder.getOutputStream().close();
      holder.waitFor();
      time.advance(Duration.ofSeconds(5));

      assertThat(opener.get()).isPresent();
      assertThat(Files.readString(folder.resolve("control.holder"))).isEqualTo("this test");
    } finally {
      holder.destroyForcibly();
    }
  }

  private DatabaseOpener<Resource> opener(Supplier<Resource> open) {
    return new DatabaseOpener<>(open, time, Runnable::run);
  }

  private Supplier<Resource> failing(int times) {
    return () -> {
      if (attempts.incrementAndGet() <= times) {
        throw new DatabaseUnavailableException("attempt " + attempts);
      }
      return new Resource(closes);
    };
  }
}

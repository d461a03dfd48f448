package io.weir.http.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSourceTest {
  private static final Duration LONG_AGO = Duration.ofMinutes(1);
  private static final Duration JUST_NOW = Duration.ofMillis(1);

  @TempDir Path folder;
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  /** Runs between the first stamp of the file and its read. */
  private Runnable meanwhile = () -> {};

  private Path file;
  private FileSource<String> source;

  @BeforeEach
  void make() {
    file = folder.resolve("keys");
    source = new FileSource<>(file, FileSourceTest::parse, this::clock);
  }

  private static String parse(String text) throws IOException {
    if (text.equals("bad")) {
      throw new IOException("no good");
    }
    return text;
  }

  private Instant clock() {
    meanwhile.run();
    return now;
  }

  private void write(String text, Duration ago) {
    try {
      Files.writeString(file, text);
      Files.setLastModifiedTime(file, FileTime.from(now.minus(ago)));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void pass() {
    now = now.plus(ApiKeys.POLL_INTERVAL);
  }

  @Test
  void acceptsTheFirstContentAtOnce() throws IOException {
    write("one", JUST_NOW);
    assertThat(source.read()).contains("one");
    pass();
    assertThat(source.read()).isEmpty();
  }

  @Test
  void acceptsAnOlderChangeAtOnce() throws IOException {
    write("one", LONG_AGO);
    source.read();
    write("another", LONG_AGO);
    assertThat(source.read()).contains("another");
    assertThat(source.read()).isEmpty();
  }

  @Test
  void acceptsARecentChangeIfUnchangedAtTheNextPoll() throws IOException {
    write("one", LONG_AGO);
    source.read();
    write("ano", JUST_NOW);
    assertThat(source.read()).isEmpty();
    pass();
    write("another", JUST_NOW);
    assertThat(source.read()).isEmpty();
    pass();
    assertThat(source.read()).contains("another");
    pass();
    assertThat(source.read()).isEmpty();
  }

  @Test
  void ignoresContentThatChangesDuringTheRead() throws IOException {
    write("one", LONG_AGO);
    source.read();
    write("ano", LONG_AGO);
    meanwhile = () -> write("anoth", LONG_AGO.minusSeconds(1));
    assertThat(source.read()).isEmpty();
    meanwhile = () -> {};
    write("another", LONG_AGO);
    assertThat(source.read()).contains("another");
  }

  @Test
  void detectsAChangeWithinTheClockResolutionOfTheFile() throws IOException {
    write("one", JUST_NOW);
    FileTime time = Files.getLastModifiedTime(file);
    source.read();
    Files.writeString(file, "two"); // as long, and within one tick of a coarse clock
    Files.setLastModifiedTime(file, time);
    pass();
    assertThat(source.read()).isEmpty();
    pass();
    assertThat(source.read()).contains("two");
  }

  @Test
  void reportsAnInvalidFileOnce() throws IOException {
    write("one", LONG_AGO);
    source.read();
    write("bad", JUST_NOW);
    assertThat(source.read()).isEmpty();
    pass();
    assertThatThrownBy(source::read).hasMessage("no good");
    pass();
    assertThat(source.read()).isEmpty();
    write("one", LONG_AGO);
    assertThat(source.read()).contains("one");
  }
}

package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The launcher names the Java it found if that is too old. */
@Tag("process")
class LauncherTest {
  @TempDir Path home;

  @ParameterizedTest
  @CsvSource({"1.8.0_392, 8", "11.0.21, 11", "9, 9"})
  void namesAJavaThatIsTooOld(String version, String shown) throws Exception {
    Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\necho 'openjdk version \"" + version + "\"' >&2\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    assertThat(errorOutput())
        .endsWith("/bin/java is Java " + shown + "; a JDK 17 or newer is needed");

    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    assertThat(errorOutput())
        .endsWith("/bin/java is Java " + shown + "; a JDK 17 or newer is needed");
  }

  private String errorOutput() throws Exception {
    ProcessBuilder builder = new ProcessBuilder("bash", "../weir", "--version");
    builder.environment().put("JAVA_HOME", home.toString());
    Process process = builder.redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(2);
    return out.strip();
  }
}

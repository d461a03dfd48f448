package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the script {@code weir} prints while it builds, with a Maven and a Java that only talk. */
@Timeout(60)
class LauncherTest {
  private static final String BUILDS =
      """
      echo '[INFO] Scanning for projects...'
      echo 'Downloading from central: https://repo.example/a.pom'
      echo '[INFO] -------------------------< io.weir:weir-core >--------------------------'
      echo '[INFO] Building Weir 0.1.0-SNAPSHOT                                       [1/3]'
      echo '[INFO] Building Weir: core 0.1.0-SNAPSHOT                                 [2/3]'
      echo '[INFO] Building jar: /somewhere/core.jar'
      echo '[INFO] Building Weir: cli 0.1.0-SNAPSHOT                                  [3/3]'
      echo 'Downloading from central: https://repo.example/b.jar'
      echo 'Downloading from central: https://repo.example/c.jar'
      touch cli/target/weir.jar
      """;

  @TempDir Path folder;
  private Path checkout;

  @BeforeEach
  void checkOut() throws IOException {
    checkout = Files.createDirectories(folder.resolve("checkout"));
    Files.createDirectories(checkout.resolve("cli/src/main"));
    Files.createDirectories(folder.resolve("jdk"));
    Files.writeString(checkout.resolve("pom.xml"), "<project/>");
    Files.writeString(checkout.resolve("cli/pom.xml"), "<project/>");
    Files.copy(Path.of("../weir"), checkout.resolve("weir"), StandardCopyOption.COPY_ATTRIBUTES);
    Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"17.0.15\"\n");
    script("jdk/bin/java", "echo \"ran $*\"");
    script("jdk/bin/javac", "exit 1");
    script("bin/mvn", BUILDS);
  }

  private void script(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private record Ran(int status, String out, List<String> err) {}

  private Ran weir(String... arguments) throws IOException, InterruptedException {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    List<String> command = new ArrayList<>(List.of(checkout.resolve("weir").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
    builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
    int status = builder.start().waitFor();
    return new Ran(status, Files.readString(out), Files.readAllLines(err));
  }

  @Test
  void theFirstBuildSaysHowLongItTakesAndShowsThatItGoesOn() throws Exception {
    Ran ran = weir("version");

    assertThat(ran.err())
        .containsExactly(
            "building weir; the first build takes about a minute …",
            "  fetching libraries …",
            "  core (2 of 3)",
            "  cli (3 of 3)",
            "  fetching libraries …");
    assertThat(ran.status()).isZero();
    assertThat(ran.out()).startsWith("ran ").endsWith("cli/target/weir.jar version\n");
  }

  @Test
  void nothingIsSaidWhereNothingIsBuilt() throws Exception {
    weir("version");

    assertThat(weir("version").err()).isEmpty();
  }

  @Test
  void aLaterBuildSaysWhy() throws Exception {
    weir("version");
    Files.setLastModifiedTime(checkout.resolve("cli/target/weir.jar"), FileTime.fromMillis(0));

    assertThat(weir("version").err())
        .startsWith("building weir, as its sources have changed …")
        .contains("  cli (3 of 3)");
  }

  @Test
  void aFailedBuildShowsItsErrorsOnly() throws Exception {
    script(
        "bin/mvn",
        """
        echo '[INFO] Building Weir: core 0.1.0-SNAPSHOT                                 [2/3]'
        echo '[ERROR] Weir.java:[1,2] not a statement'
        echo '[INFO] BUILD FAILURE'
        exit 1
        """);

    Ran ran = weir("version");

    assertThat(ran.status()).isEqualTo(2);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err())
        .containsExactly(
            "building weir; the first build takes about a minute …",
            "  core (2 of 3)",
            "[ERROR] Weir.java:[1,2] not a statement",
            "weir: the build failed; all of Maven's output is in "
                + checkout.toRealPath().resolve("cli/target/build.log"));
  }

  @Test
  void aMavenThatDoesNotStartIsShownWithAllItSays() throws Exception {
    script("bin/mvn", "echo 'The JAVA_HOME environment variable is not defined'; exit 1");

    assertThat(weir("version").err()).contains("The JAVA_HOME environment variable is not defined");
  }
}

package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Form of the documentation: lines fit an editor, links resolve, user pages name no tests. */
class DocumentationTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final int WIDTH = 120;
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("^#+ (.*)$");
  private static final Pattern TEST_NAME = Pattern.compile("`([A-Z]\\w+(?:Test|Properties))`");

  /** A line of a page with its number; code blocks are left out. */
  private record Line(int number, String text) {
    boolean isTable() {
      return text.stripLeading().startsWith("|");
    }

    boolean isIndentedCode() {
      return text.startsWith("    ");
    }
  }

  private static Stream<Path> under(String folder) {
    try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
      return files.filter(file -> file.toString().endsWith(".md")).sorted().toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Stream<Path> pages() {
    return Stream.concat(
        Stream.of("README.md", "CONTRIBUTING.md", "deploy/README.md", "bench/README.md")
            .map(ROOT::resolve),
        under("docs"));
  }

  static Stream<Path> userPages() {
    return Stream.of("docs/use", "docs/deploy", "docs/operate").flatMap(DocumentationTest::under);
  }

  private static List<Line> prose(Path page) throws IOException {
    List<Line> lines = new ArrayList<>();
    boolean code = false;
    int number = 0;
    for (String text : Files.readAllLines(page)) {
      number++;
      if (text.stripLeading().startsWith("```")) {
        code = !code;
      } else if (!code) {
        lines.add(new Line(number, text));
      }
    }
    return lines;
  }

  @ParameterizedTest
  @MethodSource("pages")
  void linesFitAnEditor(Path page) throws IOException {
    assertThat(prose(page))
        .filteredOn(line -> !line.isTable() && !line.isIndentedCode())
        .allSatisfy(
            line ->
                assertThat(line.text())
                    .as("%s:%d", page, line.number())
                    .hasSizeLessThanOrEqualTo(WIDTH));
  }

  @ParameterizedTest
  @MethodSource("pages")
  void relativeLinksResolve(Path page) throws IOException {
    for (String link : found(LINK, page)) {
      if (link.matches("[a-z]+:.*")) {
        continue;
      }
      String[] parts = link.split("#", 2);
      Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
      assertThat(target).as("%s in %s", link, page).exists();
      if (parts.length == 2 && target.toString().endsWith(".md")) {
        assertThat(anchors(target)).as("%s in %s", link, page).contains(parts[1]);
      }
    }
  }

  /** As GitHub makes them of headings. */
  private static Set<String> anchors(Path page) throws IOException {
    return prose(page).stream()
        .map(line -> HEADING.matcher(line.text()))
        .filter(Matcher::matches)
        .map(heading -> heading.group(1).strip().toLowerCase(Locale.ROOT))
        .map(text -> text.replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @MethodSource("userPages")
  void userPagesNameNoTests(Path page) throws IOException {
    assertThat(found(TEST_NAME, page)).as("tests in %s", page).isEmpty();
  }

  @Test
  void proofsNameTestsThatExist() throws IOException {
    List<String> named =
        under("docs/design").flatMap(page -> found(TEST_NAME, page).stream()).toList();
    Set<String> sources;
    try (Stream<Path> files = Files.find(ROOT, 20, (file, kind) -> isTestSource(file))) {
      sources =
          files
              .map(file -> file.getFileName().toString())
              .map(name -> name.substring(0, name.length() - ".java".length()))
              .collect(Collectors.toSet());
    }

    assertThat(named).hasSizeGreaterThan(10).isSubsetOf(sources);
  }

  private static boolean isTestSource(Path file) {
    String name = ROOT.relativize(file).toString();
    return name.contains("src/test/java/") && name.endsWith(".java");
  }

  private static List<String> found(Pattern pattern, Path page) {
    try {
      return prose(page).stream()
          .flatMap(line -> pattern.matcher(line.text()).results())
          .map((MatchResult match) -> match.group(1))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Keeps words out of comments, messages, documentation and deployment files that make people of
 * things. The code itself is not searched, so an identifier may contain one.
 */
class BannedWordsTest {
  private static final Path ROOT = Path.of("..");

  private static final Map<String, String> HINTS =
      Map.of(
          "whoever", "name the thing: the caller, the client, the instance",
          "nobody", "name the thing: no caller, no instance, no request",
          "told", "say reported, sent, configured or known",
          "heard", "say received, seen or reported",
          "put right", "say corrected, repaired or reconciled");

  /** A phrase may go on in the next line of a comment. */
  private static final Pattern BANNED =
      Pattern.compile(
          "\\b(?:whoever|nobody|told|heard|put(?:s|ting)?[\\s*/#-]+right)\\b",
          Pattern.CASE_INSENSITIVE);

  /** Comments and literals of Java, the longest first: a text block begins like a string. */
  private static final Pattern JAVA_TEXT =
      Pattern.compile(
          "//[^\\n]*|/\\*(?s:.*?)\\*/|\"\"\"(?s:(?:\\\\.|.)*?)\"\"\""
              + "|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'");

  private static final List<String> RESOURCES =
      List.of(".lua", ".js", ".html", ".css", ".txt", ".yaml");

  private static final List<String> EXAMPLES =
      List.of(".yaml", ".json", ".md", ".sh", "Dockerfile");

  /** The comments and literals of Java code, at the places they have in it; the rest is blank. */
  private static String textOf(String code) {
    StringBuilder text = new StringBuilder(code.replaceAll("[^\\n]", " "));
    JAVA_TEXT
        .matcher(code)
        .results()
        .forEach(part -> text.replace(part.start(), part.end(), part.group()));
    return text.toString();
  }

  private static List<String> findings(String name, String text) {
    return BANNED.matcher(text).results().map(word -> finding(name, text, word)).toList();
  }

  private static String finding(String name, String text, MatchResult found) {
    long line = 1 + text.substring(0, found.start()).chars().filter(c -> c == '\n').count();
    String written = found.group().toLowerCase(Locale.ROOT);
    String word = written.startsWith("put") ? "put right" : written;
    return "%s:%d: \"%s\": %s".formatted(name, line, word, HINTS.get(word));
  }

  private static Stream<Path> files(Path folder) throws IOException {
    return Files.isDirectory(folder)
        ? Files.walk(folder).filter(Files::isRegularFile)
        : Stream.of();
  }

  private static boolean endsWithAny(Path file, List<String> endings) {
    return endings.stream().anyMatch(file.toString()::endsWith);
  }

  /** All text that ships or is read by users and contributors. */
  private static List<Path> texts() throws IOException {
    List<Path> texts = new ArrayList<>();
    Stream.of("README.md", "CONTRIBUTING.md", "pom.xml", "weir", "bench/run", "bench/README.md")
        .map(ROOT::resolve)
        .forEach(texts::add);
    for (String folder : List.of("deploy", "samples")) {
      try (Stream<Path> examples = files(ROOT.resolve(folder))) {
        examples.filter(example -> endsWithAny(example, EXAMPLES)).forEach(texts::add);
      }
    }
    try (Stream<Path> pages = files(ROOT.resolve("docs"))) {
      pages.filter(page -> endsWithAny(page, List.of(".md"))).forEach(texts::add);
    }
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.filter(Files::isDirectory).toList()) {
        try (Stream<Path> sources = files(module.resolve("src/main/java"));
            Stream<Path> resources = files(module.resolve("src/main/resources"))) {
          sources.filter(source -> endsWithAny(source, List.of(".java"))).forEach(texts::add);
          resources.filter(resource -> endsWithAny(resource, RESOURCES)).forEach(texts::add);
        }
        Stream.of(module.resolve("pom.xml")).filter(Files::isRegularFile).forEach(texts::add);
      }
    }
    return texts;
  }

  @Test
  void commentsMessagesAndPagesSpeakOfThings() throws IOException {
    List<String> findings = new ArrayList<>();
    for (Path file : texts()) {
      String text = Files.readString(file);
      boolean java = file.toString().endsWith(".java");
      findings.addAll(findings(ROOT.relativize(file).toString(), java ? textOf(text) : text));
    }

    findings.sort(null);
    assertThat(findings).as("words that make people of things").isEmpty();
  }

  @Test
  void looksAtEveryKindOfText() throws IOException {
    assertThat(texts())
        .extracting(file -> file.getFileName().toString().replaceAll(".*\\.", ""))
        .contains("java", "lua", "js", "html", "md", "yaml", "xml", "sh", "Dockerfile");
    assertThat(texts())
        .contains(
            ROOT.resolve("pom.xml"),
            ROOT.resolve("core/pom.xml"),
            ROOT.resolve("samples/rules.yaml"),
            ROOT.resolve("deploy/kubernetes/redis.yaml"));
  }

  @Test
  void findsWordsInCommentsAndLiterals() {
    String code =
        String.join(
            "\n",
            "/** The breaker is told. */",
            "class A { // Nobody waits",
            "  char quote = '\"'; String url = \"http://heard\";",
            "  /* put",
            "   * right */",
            "  String block = \"\"\"",
            "      whoever \\\"\"\" asks",
            "      \"\"\";",
            "}");

    assertThat(findings("A.java", textOf(code)))
        .extracting(finding -> finding.replaceAll("(?s)^(A\\.java:\\d+: \"[^\"]*\").*", "$1"))
        .containsExactly(
            "A.java:1: \"told\"",
            "A.java:2: \"nobody\"",
            "A.java:3: \"heard\"",
            "A.java:4: \"put right\"",
            "A.java:7: \"whoever\"");
  }

  @Test
  void leavesCodeAlone() {
    String code =
        "told(heard); // the threshold, input right and untold things are fine\nnobody();";

    assertThat(findings("A.java", textOf(code))).isEmpty();
  }
}

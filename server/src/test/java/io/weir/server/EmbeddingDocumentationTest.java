package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.fixture.TestServer;
import io.weir.testkit.process.RedisServer;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compiles and runs the Java of the README and of docs/use/embedding.md unchanged. The blocks of a
 * section, with the imports they show, form one program.
 */
class EmbeddingDocumentationTest {
  private static RedisServer redis;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  /** The Java of a section. */
  private record Section(String title, List<String> lines) {
    String program() {
      String imports = lines(true).distinct().collect(Collectors.joining("\n"));
      String statements = lines(false).collect(Collectors.joining("\n"));
      return imports
          + "\npublic final class Example {\n"
          + "public static void run() throws Exception {\n"
          + statements
          + "\n}\n}\n";
    }

    private Stream<String> lines(boolean imports) {
      return lines.stream().filter(line -> line.startsWith("import ") == imports);
    }

    @Override
    public String toString() {
      return title;
    }
  }

  static List<Section> sections() throws Exception {
    List<Section> readme = sections("../README.md");
    List<Section> embedding = sections("../docs/use/embedding.md");
    assertThat(readme).as("sections of the README with Java").isNotEmpty();
    assertThat(embedding).as("sections of the embedding page with Java").isNotEmpty();
    return Stream.concat(readme.stream(), embedding.stream()).toList();
  }

  private static List<Section> sections(String page) throws Exception {
    List<Section> sections = new ArrayList<>();
    Section section = new Section("top", new ArrayList<>());
    boolean inJava = false;
    for (String line : Files.readAllLines(Path.of(page))) {
      if (line.startsWith("```")) {
        inJava = line.equals("```java");
      } else if (inJava) {
        section.lines.add(line);
      } else if (line.startsWith("#")) {
        section = new Section(line, new ArrayList<>());
        sections.add(section);
      }
    }
    return sections.stream().filter(some -> !some.lines.isEmpty()).toList();
  }

  @ParameterizedTest
  @MethodSource("sections")
  void compilesAndRuns(Section section) throws Exception {
    Path rules = folder.resolve("rules.yaml");
    Files.writeString(rules, TestServer.document("{ id: all, limit: 5/s }"));
    compile(
        section
            .program()
            .replace("rules.yaml", rules.toString())
            .replace("redis://localhost", redis.uri()));

    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
      loader.loadClass("Example").getMethod("run").invoke(null);
    }
  }

  private void compile(String program) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter output = new StringWriter();
    String classpath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> options = List.of("-proc:none", "-classpath", classpath, "-d", folder.toString());
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
      boolean done =
          compiler.getTask(output, files, null, options, null, List.of(new Source(program))).call();
      assertThat(done).as("%s%n%s", output, program).isTrue();
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("string:///Example.java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}

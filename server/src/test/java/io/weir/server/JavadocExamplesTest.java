package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compiles the Java examples in the javadoc of every module that users or tests import. */
class JavadocExamplesTest {
  private static final List<String> MODULES =
      List.of("core", "rules", "http", "redis", "control", "server", "testkit");

  private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);

  /** A block of code in javadoc, whichever tag it is in. */
  private static final Pattern BLOCK =
      Pattern.compile(
          "<pre>\\s*\\{@code\\n(.*?)\\}\\s*</pre>|\\{@snippet\\s*:\\n(.*?)\\n \\* \\}",
          Pattern.DOTALL);

  /** A line that ends a Java statement; rules, limits and drawings have none. */
  private static final Pattern STATEMENT = Pattern.compile(";\\s*(//.*)?$", Pattern.MULTILINE);

  @TempDir private Path folder;

  /** An example, and the package of the class that it is about. */
  private record Example(String file, String ofPackage, String code) {
    /** Examples may use these names without declaring them. */
    String program() {
      return """
          import io.weir.*;
          import io.weir.rule.*;
          import io.weir.server.config.*;
          import io.weir.time.*;
          import java.nio.file.*;
          import java.time.*;
          import java.util.*;
          import %s.*;
          final class Example {
            static Weir weir;
            static io.weir.rule.RuleSet rules;
            static io.weir.store.Store store;
            static Path stateFolder;
            static void run() throws Exception {
          %s
            }
          }
          """
          .formatted(ofPackage, code);
    }

    @Override
    public String toString() {
      return file;
    }
  }

  static List<Example> examples() throws Exception {
    List<Example> examples = new ArrayList<>();
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src/main/java"))) {
        for (Path file : files.filter(some -> some.toString().endsWith(".java")).toList()) {
          addFrom(file, examples);
        }
      }
    }
    return examples;
  }

  private static void addFrom(Path file, List<Example> examples) throws Exception {
    String source = Files.readString(file);
    Matcher ofPackage = PACKAGE.matcher(source);
    Matcher block = BLOCK.matcher(source);
    boolean named = ofPackage.find();
    while (named && block.find()) {
      String text = block.group(1) == null ? block.group(2) : block.group(1);
      String code = text.replaceAll("(?m)^ *\\* ?", "");
      if (STATEMENT.matcher(code).find()) {
        examples.add(new Example(file.getFileName().toString(), ofPackage.group(1), code));
      }
    }
  }

  @Test
  void thereAreExamples() throws Exception {
    assertThat(examples())
        .extracting(Example::toString)
        .contains(
            "Weir.java", "Limiter.java", "Rule.java", "RuleDocuments.java", "RedisServer.java");
  }

  @ParameterizedTest
  @MethodSource("examples")
  void compiles(Example example) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter output = new StringWriter();
    String classpath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> options = List.of("-proc:none", "-classpath", classpath, "-d", folder.toString());
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
      Source source = new Source(example.program());
      boolean done = compiler.getTask(output, files, null, options, null, List.of(source)).call();
      assertThat(done).as("%s%n%s", output, example.program()).isTrue();
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

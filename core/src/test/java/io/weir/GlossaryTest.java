package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The classes that docs/glossary.md names exist. */
class GlossaryTest {
  private static final Pattern CLASS = Pattern.compile("`([A-Z][A-Za-z]+)`");

  @Test
  void namesClassesThatExist() throws IOException {
    Set<String> named =
        Files.readAllLines(Path.of("../docs/glossary.md")).stream()
            .filter(line -> line.startsWith("| "))
            .flatMap(line -> CLASS.matcher(line).results())
            .map(found -> found.group(1))
            .collect(Collectors.toSet());

    assertThat(named).hasSizeGreaterThan(30).isSubsetOf(classes());
  }

  private static Set<String> classes() throws IOException {
    Set<String> classes = new HashSet<>();
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      for (Path sources : modules.map(module -> module.resolve("src/main/java")).toList()) {
        if (Files.isDirectory(sources)) {
          try (Stream<Path> files = Files.walk(sources)) {
            files
                .map(file -> file.getFileName().toString())
                .filter(name -> name.endsWith(".java"))
                .forEach(name -> classes.add(name.substring(0, name.length() - ".java".length())));
          }
        }
      }
    }
    return classes;
  }
}

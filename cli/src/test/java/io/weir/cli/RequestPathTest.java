package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import io.weir.redis.script.Script;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the walk and the map of CONTRIBUTING.md to the code: each step of a request is called by a
 * step before it, and every package is listed.
 */
class RequestPathTest {
  private static final Path PAGE = Path.of("..", "CONTRIBUTING.md");
  private static final JavaClasses WEIR =
      new ClassFileImporter()
          .withImportOption(RequestPathTest::isShipped)
          .importPackages("io.weir");

  /** Such as {@code 3. `CheckEndpoints.check` …; `DecisionRoutes` binds …}. */
  private static final Pattern STEP =
      Pattern.compile("(?m)^\\d+\\. `(\\w+)\\.(\\w+)`(?:.*?`(\\w+)` binds)?");

  private static final Pattern SCRIPT = Pattern.compile("`(\\w+\\.lua)`");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^\\| `(io\\.weir[\\w.]*)` \\|");

  private record Step(JavaClass owner, String method, String binder) {
    @Override
    public String toString() {
      return owner.getSimpleName() + "." + method;
    }
  }

  private static boolean isShipped(Location location) {
    return !location.contains("test-classes") && !location.contains("testkit");
  }

  private static String page() throws IOException {
    return Files.readString(PAGE);
  }

  private static JavaClass named(String name) {
    return WEIR.stream()
        .filter(type -> type.isTopLevelClass() && type.getSimpleName().equals(name))
        .collect(
            Collectors.collectingAndThen(
                Collectors.toList(),
                found -> {
                  assertThat(found).as("classes named %s", name).hasSize(1);
                  return found.get(0);
                }));
  }

  /** The steps of the list that follows this line of the page. */
  private static List<Step> stepsAfter(String heading) throws IOException {
    String text = page();
    int from = text.indexOf(heading);
    assertThat(from).as(heading).isNotNegative();
    int list = text.indexOf("\n1. ", from);
    String steps = text.substring(list, text.indexOf("\n\n", list));
    List<Step> found = new ArrayList<>();
    Matcher matcher = STEP.matcher(steps);
    while (matcher.find()) {
      if (!matcher.group(2).equals("lua")) {
        String binder = matcher.group(3) == null ? "" : matcher.group(3);
        found.add(new Step(named(matcher.group(1)), matcher.group(2), binder));
      }
    }
    assertThat(found).hasSizeBetween(10, 15);
    return found;
  }

  /** All calls and method references in a class, its nested classes and its super classes. */
  private static Stream<JavaAccess<?>> accessesFrom(JavaClass type) {
    Set<String> sources = new TreeSet<>();
    type.getClassHierarchy().forEach(one -> sources.add(one.getName()));
    return WEIR.stream()
        .filter(
            one ->
                sources.stream()
                    .anyMatch(
                        name -> one.getName().equals(name) || one.getName().startsWith(name + "$")))
        .flatMap(one -> one.getAccessesFromSelf().stream());
  }

  private static boolean calls(JavaClass caller, Step step, boolean throughSupertypes) {
    return accessesFrom(caller)
        .anyMatch(
            access ->
                access.getTarget().getName().equals(step.method())
                    && (throughSupertypes
                        ? step.owner().isAssignableTo(access.getTargetOwner().getName())
                        : step.owner().equals(access.getTargetOwner())));
  }

  private static void assertCalledInOrder(List<Step> steps) {
    for (int i = 1; i < steps.size(); i++) {
      Step step = steps.get(i);
      JavaClass before = step.binder().isEmpty() ? steps.get(i - 1).owner() : named(step.binder());
      List<Step> earlier = steps.subList(0, i);
      assertThat(
              calls(before, step, true)
                  || earlier.stream().anyMatch(one -> calls(one.owner(), step, false)))
          .as("%s is called by a step before it: %s", step, earlier)
          .isTrue();
    }
  }

  @Test
  void aCheckInMemoryTakesTheStepsOfThePage() throws IOException {
    List<Step> steps = stepsAfter("`POST /v1/check` with all state in memory:");

    assertThat(steps.get(0)).hasToString("HeadCheck.handle");
    assertCalledInOrder(steps);
  }

  @Test
  void aCheckOnRedisTakesTheStepsOfThePage() throws IOException {
    List<Step> steps = new ArrayList<>();
    steps.add(new Step(named("DrawExecutor"), "take", ""));
    steps.addAll(stepsAfter("With Redis, from `DrawExecutor.take` on:"));

    assertCalledInOrder(steps);
  }

  @Test
  void thePageNamesTheScriptsThatDecide() throws IOException {
    Set<String> named = new TreeSet<>();
    SCRIPT.matcher(page()).results().forEach(match -> named.add(match.group(1)));

    assertThat(named)
        .containsExactlyInAnyOrder("take_one_bucket.lua", "take_buckets.lua", "take.lua");
    for (String script : named) {
      try (var in = Script.class.getResourceAsStream(script)) {
        assertThat(in).as(script).isNotNull();
        String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        assertThat(Stream.of(Script.values()).map(Script::text))
            .anyMatch(loaded -> new String(loaded, StandardCharsets.UTF_8).contains(text));
      }
    }
  }

  @Test
  void thePageListsEveryPackage() throws IOException {
    Set<String> listed = new TreeSet<>();
    PACKAGE.matcher(page()).results().forEach(match -> listed.add(match.group(1)));
    Set<String> actual =
        WEIR.stream().map(JavaClass::getPackageName).collect(Collectors.toCollection(TreeSet::new));

    assertThat(listed).containsExactlyElementsOf(actual);
  }
}

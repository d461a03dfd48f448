package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import io.weir.redis.script.Script;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the walk and the map of CONTRIBUTING.md to the code: its classes exist, each step of a
 * request is called by a step before it, and every package is listed.
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

  /** Such as {@code `Segment`} or {@code `DrawPlanner.bypass`}. */
  private static final Pattern NAME = Pattern.compile("`([A-Z]\\w*)(?:\\.(\\w+))?`");

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

  private static String between(String text, String start, String end) {
    int from = text.indexOf(start);
    assertThat(from).as(start).isNotNegative();
    int to = text.indexOf(end, from + start.length());
    assertThat(to).as("%s after %s", end, start).isNotNegative();
    return text.substring(from, to);
  }

  /** The section about the way of a request. */
  private static String walk() throws IOException {
    return between(page(), "## The way of a request", "## ");
  }

  /** The classes of the paragraph that begins with this text, in order. */
  private static List<JavaClass> classesAfter(String start) throws IOException {
    return NAME.matcher(between(walk(), start, "\n\n"))
        .results()
        .map(match -> named(match.group(1)))
        .toList();
  }

  /** The steps of the list that follows this line of the page. */
  private static List<Step> stepsAfter(String heading) throws IOException {
    String list = between(walk(), heading + "\n\n1. ", "\n\n").replaceAll("\n +", " ");
    List<Step> found = new ArrayList<>();
    Matcher matcher = STEP.matcher(list);
    while (matcher.find()) {
      if (!matcher.group(2).equals("lua")) {
        String binder = matcher.group(3) == null ? "" : matcher.group(3);
        found.add(new Step(named(matcher.group(1)), matcher.group(2), binder));
      }
    }
    assertThat(found).hasSizeBetween(10, 16);
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

  /** The calls of a step in a class, also those by a supertype of the step's class. */
  private static Stream<JavaAccess<?>> calls(JavaClass caller, Step step) {
    return accessesFrom(caller)
        .filter(
            access ->
                access.getTarget().getName().equals(step.method())
                    && step.owner().isAssignableTo(access.getTargetOwner().getName()));
  }

  private static boolean uses(JavaClass user, JavaClass used) {
    return accessesFrom(user).anyMatch(access -> access.getTargetOwner().equals(used));
  }

  private static void assertCalledInOrder(List<Step> steps) {
    for (int i = 1; i < steps.size(); i++) {
      Step step = steps.get(i);
      List<Step> earlier = steps.subList(0, i);
      List<JavaClass> callers =
          step.binder().isEmpty()
              ? earlier.stream().map(Step::owner).toList()
              : List.of(named(step.binder()));
      assertThat(callers)
          .as("%s is called by a step before it: %s", step, earlier)
          .anyMatch(caller -> calls(caller, step).findAny().isPresent());
      for (int j = 1; j < i; j++) {
        assertNotCalledBefore(step, steps.get(j), steps.subList(0, j));
      }
    }
  }

  /**
   * Where one method of an earlier step calls both steps, the calls are in the order of the page.
   */
  private static void assertNotCalledBefore(Step later, Step sooner, List<Step> earlier) {
    for (JavaClass caller : earlier.stream().map(Step::owner).distinct().toList()) {
      Map<String, Integer> firstCalls =
          calls(caller, sooner)
              .collect(
                  Collectors.toMap(
                      access -> access.getOrigin().getFullName(),
                      JavaAccess::getLineNumber,
                      Math::min));
      assertThat(calls(caller, later))
          .as("calls of %s after %s", later, sooner)
          .allMatch(
              access ->
                  access.getLineNumber()
                      >= firstCalls.getOrDefault(access.getOrigin().getFullName(), 0));
    }
  }

  private static List<Step> memorySteps() throws IOException {
    return stepsAfter("`POST /v1/check` with all state in memory:");
  }

  private static List<Step> redisSteps() throws IOException {
    List<Step> steps = new ArrayList<>();
    steps.add(new Step(named("AdmissionAuditor"), "take", ""));
    steps.addAll(stepsAfter("With Redis, from `AdmissionAuditor.take` on:"));
    return steps;
  }

  @Test
  void aCheckInMemoryTakesTheStepsOfThePage() throws IOException {
    List<Step> steps = memorySteps();

    assertThat(uses(named(steps.get(0).binder()), steps.get(0).owner()))
        .as("%s is bound to a port", steps.get(0))
        .isTrue();
    assertCalledInOrder(steps);
  }

  @Test
  void aCheckOnRedisTakesTheStepsOfThePage() throws IOException {
    assertThat(memorySteps()).contains(redisSteps().get(0));
    assertCalledInOrder(redisSteps());
  }

  @Test
  void stepsInAWrongOrderAreFound() throws IOException {
    List<Step> steps = redisSteps();
    List<String> names = steps.stream().map(Step::toString).toList();

    Collections.swap(steps, names.indexOf("ScriptArguments.draw"), names.indexOf("NodeRunner.run"));

    assertThatThrownBy(() -> assertCalledInOrder(steps))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("ScriptArguments.draw");
  }

  @Test
  void theShortFormIsPartOfTheSteps() throws IOException {
    List<JavaClass> owners =
        Stream.of(memorySteps(), redisSteps()).flatMap(List::stream).map(Step::owner).toList();

    assertThat(owners).containsSubsequence(classesAfter("In short:"));
  }

  @Test
  void theGatewayTakesTheStepsOfThePage() throws IOException {
    List<JavaClass> steps = classesAfter("Through the gateway:");

    assertThat(steps).hasSizeGreaterThan(4).startsWith(named("Gateway"));
    for (int i = 1; i < steps.size(); i++) {
      JavaClass step = steps.get(i);
      assertThat(steps.subList(0, i)).anyMatch(before -> uses(before, step));
    }
  }

  @Test
  void theClassesOfTheWalkExist() throws IOException {
    List<MatchResult> names =
        NAME.matcher(walk().replace("`" + RequestPathTest.class.getSimpleName() + "`", ""))
            .results()
            .toList();

    assertThat(names).hasSizeGreaterThan(40);
    for (MatchResult name : names) {
      JavaClass type = named(name.group(1));
      if (name.group(2) != null) {
        assertThat(type.getAllMethods()).extracting(JavaMethod::getName).contains(name.group(2));
      }
    }
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

package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Weir;
import io.weir.rule.RuleSet;
import io.weir.time.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The recipes of the documentation limit what their headings promise. */
class RecipesTest {
  private static final Pattern RECIPE =
      Pattern.compile("## ([^\n]+)|```yaml\n(version: 1\n.*?)```", Pattern.DOTALL);

  /** Begins on a Wednesday at 10:06 in Berlin. */
  private final VirtualTime time = new VirtualTime(Instant.parse("2026-11-18T09:06:00Z"));

  private record Recipe(String title, String document) {
    @Override
    public String toString() {
      return title;
    }
  }

  static List<Recipe> recipes() throws IOException {
    Matcher found = RECIPE.matcher(Files.readString(Path.of("../docs/use/recipes.md")));
    List<Recipe> recipes = new ArrayList<>();
    String title = "";
    while (found.find()) {
      if (found.group(1) != null) {
        title = found.group(1);
      } else {
        recipes.add(new Recipe(title, found.group(2)));
      }
    }
    return recipes;
  }

  /** The first recipe whose title begins like this. */
  private Weir recipe(String title) throws IOException {
    Recipe recipe =
        recipes().stream().filter(r -> r.title().startsWith(title)).findFirst().orElseThrow();
    RuleSet rules = RuleDocuments.parse("r.yaml", recipe.document()).value().orElseThrow();
    return Weir.builder().rules(rules).time(time).build();
  }

  @ParameterizedTest
  @MethodSource("recipes")
  void loadsWithoutAProblem(Recipe recipe) {
    assertThat(RuleDocumentFixtures.problems(recipe.document())).isEmpty();
  }

  @Test
  void findsTheRecipes() throws IOException {
    assertThat(recipes()).hasSizeGreaterThan(10);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          5 logins         | POST | /login      | ip=198.51.100.7 user=ada  | 5    | login
          5 logins         | POST | /login      | ip=198.51.100.7 user=*    | 30   | login-address
          5 logins         | POST | /login      | ip=* user=ada             | 20   | login-user
          A plan           | GET  | /v1/items   | tenant=umbrella           | 5    | plan
          A plan           | GET  | /v1/items   | tenant=acme               | 100  | plan
          A plan           | GET  | /v1/items   | tenant=initech            | 400  | plan
          A plan           | GET  | /v1/items   | ip=198.51.100.7           | 5    | plan
          Read and write   | GET  | /api/items  | user=42                   | 200  | read
          Read and write   | POST | /api/items  | user=42                   | 10   | write
          60 an hour       | GET  | /           | ip=198.51.100.7           | 60   | anonymous
          60 an hour       | GET  | /           | ip=198.51.100.7 user=42   | 5000 | signed-in
          A burst          | GET  | /           | user=42                   | 100  | api
          A tenant's total | GET  | /           | tenant=acme user=42       | 30   | tenant-user
          A tenant's total | GET  | /           | tenant=acme user=*        | 100  | tenant-total
          Calls that cost  | GET  | /api/items  | user=42                   | 100  | points
          Calls that cost  | GET  | /api/report | user=42 points=50         | 2    | points
          Calls that cost  | GET  | /api/report | user=42 points=51         | 2    | points
          No limit         | GET  | /           | ip=198.51.100.7           | 1000 | everything
          """)
  void admitsTheLimitAndRefusesTheNextCall(
      String title, String method, String path, String attributes, int allowed, String rule)
      throws IOException {
    Weir weir = recipe(title);
    for (int i = 0; i < allowed; i++) {
      assertThat(weir.check(call(method, path, attributes, i)).allowed()).as("call %s", i).isTrue();
    }
    Decision refused = weir.check(call(method, path, attributes, allowed));
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.deciding().orElseThrow().rule()).isEqualTo(rule);
  }

  /** A call whose attribute {@code *} has another value each time. */
  private static Call call(String method, String path, String attributes, int number) {
    Call call = Call.of(method, path);
    for (String attribute : attributes.split(" ", -1)) {
      String[] parts = attribute.split("=", -1);
      call = call.with(parts[0], parts[1].equals("*") ? "n" + number : parts[1]);
    }
    return call;
  }

  @Test
  void goesOnAtTheRateAfterTheBurst() throws IOException {
    Weir weir = recipe("A burst");
    Call call = Call.of("GET", "/").with("user", "42");
    assertThat(weir.check(call.cost(100)).allowed()).isTrue();
    time.advance(Duration.ofSeconds(1));
    assertThat(weir.check(call.cost(10)).allowed()).isTrue();
    assertThat(weir.check(call).allowed()).isFalse();
  }

  @Test
  void doesNotLetReadsUseUpWrites() throws IOException {
    Weir weir = recipe("Read and write");
    Call read = Call.of("GET", "/api/items").with("user", "42");
    assertThat(weir.check(read.cost(200)).allowed()).isTrue();
    assertThat(weir.check(read).allowed()).isFalse();
    assertThat(weir.check(Call.of("POST", "/api/items").with("user", "42")).allowed()).isTrue();
  }

  @Test
  void halvesTheLimitDuringBusinessHours() throws IOException {
    Weir weir = recipe("Half as much");
    Call call = Call.of("GET", "/batch/1").with("tenant", "acme");
    assertThat(weir.check(call).deciding().orElseThrow().limit()).hasToString("50/min");
    time.advance(Duration.ofHours(9));
    assertThat(weir.check(call).deciding().orElseThrow().limit()).hasToString("100/min");
  }

  @Test
  void countsInShadowAndRefusesNothing() throws IOException {
    Weir weir = recipe("Try a new limit");
    Call call = Call.of("GET", "/search/x").with("user", "42");
    for (int i = 0; i < 3; i++) {
      assertThat(weir.check(call).statuses().get(0).allowed()).isTrue();
    }
    Decision fourth = weir.check(call);
    assertThat(fourth.allowed()).isTrue();
    assertThat(fourth.statuses().get(0).allowed()).isFalse();
  }

  @Test
  void marksCallsInsteadOfRefusingThem() throws IOException {
    Weir weir = recipe("Serve less");
    Call call = Call.of("GET", "/search/x").with("user", "42");
    assertThat(weir.check(call.cost(60)).over()).isEmpty();
    assertThat(weir.check(call).allowed()).isTrue();
    assertThat(weir.check(call).over()).containsExactly("fair-use");
  }

  @Test
  void halvesTheLimitOfAddressesThatDoNotStop() throws IOException {
    Weir weir = recipe("Half the limit");
    Call call = Call.of("POST", "/login").with("ip", "198.51.100.7");
    assertThat(weir.check(call.cost(20)).allowed()).isTrue();
    for (int i = 0; i < 20; i++) {
      assertThat(weir.check(call).statuses().get(0).limit()).hasToString("20/min");
    }
    assertThat(weir.check(call).statuses().get(0).limit()).hasToString("10/min");
    time.advance(Duration.ofMinutes(10));
    assertThat(weir.check(call).statuses().get(0).limit()).hasToString("20/min");
  }

  @Test
  void returnsToTheUsualLimitAfterTheIncident() throws IOException {
    Weir weir = recipe("A limit for the length");
    Call call = Call.of("GET", "/checkout/1").with("ip", "198.51.100.7");
    assertThat(weir.check(call).rule()).contains("checkout-incident");
    time.stepWall(
        Duration.between(
            Instant.parse("2026-11-18T09:06:00Z"), Instant.parse("2030-01-01T12:00:00Z")));
    assertThat(weir.check(call).rule()).contains("checkout");
  }

  @Test
  void leavesHealthChecksOut() throws IOException {
    Call call = Call.of("GET", "/healthz").with("ip", "198.51.100.7");
    assertThat(recipe("No limit").check(call).statuses()).isEmpty();
  }
}

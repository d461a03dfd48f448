package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.http.identity.Sha256;
import io.weir.redis.RedisOptions;
import io.weir.server.config.AdminRole;
import io.weir.server.config.AdminSettings;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.fixture.BrowserTab;
import io.weir.server.fixture.TestServer;
import io.weir.server.http.ConnectionTracker;
import io.weir.testkit.process.ChromiumBrowser;
import io.weir.testkit.process.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The console in a real browser. */
@Tag("browser")
@Timeout(180)
class ConsoleBrowserTest {
  private static final String OPERATOR = "operator-token";
  private static final String VIEWER = "viewer-token";
  private static final String HOSTILE = "<img src=x onerror=alert(1)>";
  private static final int BATCH = 200;
  private static final String CALLS =
      "{\"calls\":["
          + String.join(
              ",",
              Collections.nCopies(
                  BATCH, "{\"path\":\"/\",\"attributes\":{\"tenant\":\"" + HOSTILE + "\"}}"))
          + "]}";

  /** The components' elements that a selector finds, in any view. */
  private static final String FIND =
      """
      (function find(root, selector) {
        return [...root.querySelectorAll('*')].flatMap((one) => [
          ...(one.matches(selector) ? [one] : []),
          ...(one.shadowRoot ? find(one.shadowRoot, selector) : []),
        ]);
      })(document, '%s')""";

  private static ChromiumBrowser browser;
  private static RedisServer redis;
  private static TestServer server;
  private BrowserTab tab;

  @BeforeAll
  static void open() {
    browser = ChromiumBrowser.start(); // first, as a machine may lack it
    redis = RedisServer.start();
    AdminSettings admin =
        new AdminSettings(
            List.of(token(OPERATOR, AdminRole.OPERATOR), token(VIEWER, AdminRole.VIEWER)), false);
    server =
        TestServer.with(
            config ->
                config
                    .frontEnd(FrontEndSettings.DEFAULT.admin(admin))
                    .redis(RedisOptions.of(redis.uri()).timeout(Duration.ofSeconds(2))),
            ConnectionTracker.TICK,
            "{ id: partner-quota, key: [tenant], limit: 1000000/s, accuracy: exact }",
            "{ id: searches, match: { path: /search }, key: [user], limit: 5/s, mode: shadow }",
            "{ id: sign-ins, description: \"at\\u202Enight\", match: { path: /sign-in }, key: [],"
                + " limit: 1/h }",
            "{ id: sign-ins-of-one, match: { path: /sign-in }, key: [user], limit: 1/h }");
  }

  private static AdminSettings.Token token(String text, AdminRole role) {
    return new AdminSettings.Token(Sha256.hex(text), role, Instant.MAX);
  }

  @AfterAll
  static void close() {
    if (server != null) {
      server.close();
      redis.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @BeforeEach
  void openTab() {
    tab = BrowserTab.in(browser);
  }

  @AfterEach
  void closeTab() {
    tab.close();
  }

  private static String console(String fragment) {
    return "http://" + server.server.admin() + "/ui/" + fragment;
  }

  private void awaitText(String text) {
    await().atMost(Duration.ofSeconds(30)).until(() -> tab.text().contains(text));
  }

  @Test
  void showsNothingWithoutAValidToken() {
    tab.go(console("#/hot-keys"));
    awaitText("Sign in");

    assertThat(tab.accessibilityTree()).contains("textbox Token", "button Sign in");
    assertThat(tab.text()).doesNotContain("partner-quota");
    assertThat(tab.problems()).isEmpty();

    tab.type("wrong");
    tab.press("Enter", 13);
    awaitText("This token is not valid.");

    assertThat(tab.text()).doesNotContain("partner-quota");
    assertThat(tab.problems()).allMatch(complaint -> complaint.contains("401"));
  }

  @Test
  void signsInWithATypedTokenAndForgetsItOnSignOut() {
    tab.go(console(""));
    awaitText("Sign in");
    tab.type(OPERATOR);
    tab.press("Enter", 13);
    awaitText("partner-quota");

    assertThat(tab.text()).contains("ready", "available", redis.uri(), "closed (healthy)");
    assertThat(tab.text()).contains("searches 0 0 user 5/s shadow");
    assertThat(tab.accessibilityTree())
        .contains("link Hot keys", "button Sign out", "heading Overview");

    tab.value("document.querySelector('weir-console').renderRoot.querySelector('button').click()");
    awaitText("Sign in");

    assertThat(tab.value("sessionStorage.length")).isEqualTo(0);
    assertThat(tab.problems()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"light", "dark"})
  void suggestsChangesForAHotKey(String scheme) throws Exception {
    tab.colorScheme(scheme);
    tab.resize(1100, 800);
    AtomicBoolean enough = new AtomicBoolean();
    Thread traffic = new Thread(() -> ask(enough), "traffic");
    traffic.start();
    try {
      tab.go(console("#token=" + OPERATOR));
      awaitText("Show hot keys");
      assertThat((String) tab.value("location.href")).doesNotContain(OPERATOR);
      tab.go(console("#/hot-keys"));
      awaitText("1 rule would benefit from a change.");
      keepPicture("hot-keys-" + scheme);
    } finally {
      enough.set(true);
      traffic.join();
    }

    assertThat(tab.text())
        .contains("One key, tenant = " + HOSTILE + " , causes about")
        .contains("accuracy: 1% would answer most of its calls from memory.")
        .contains("Where it must be exact, store.hot would give the rule a Redis of its own.")
        .contains("in the rule partner-quota : accuracy: 1%")
        .contains("in weir.yaml , under store : hot: { uri:");
    assertThat(tab.accessibilityTree()).contains("heading Suggestions", "rowheader partner-quota");
    assertThat(tab.problems()).isEmpty();
    assertThat(contrasts()).allMatch(contrast -> contrast >= 4.5);
    assertThat((String) tab.value("getComputedStyle(document.body).backgroundColor"))
        .isEqualTo(scheme.equals("dark") ? "rgb(16, 22, 28)" : "rgb(245, 247, 249)");
  }

  @Test
  void hidesKeysFromViewers() {
    server.post("/v1/check/batch", CALLS);
    tab.go(console("#token=" + VIEWER));
    awaitText("Show hot keys");
    tab.go(console("#/hot-keys"));
    awaitText("Only operators see the keys themselves.");

    assertThat(tab.text()).doesNotContain(HOSTILE).containsPattern("partner-quota #[0-9a-f]{16}");
    assertThat(tab.problems()).isEmpty();
  }

  private double number(String selector, String of) {
    return ((Number) tab.value(FIND.formatted(selector) + of)).doubleValue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"light", "dark"})
  void fitsAPhone(String scheme) throws Exception {
    server.post("/v1/check/batch", CALLS);
    tab.colorScheme(scheme);
    tab.resize(390, 844);
    tab.go(console("#token=" + OPERATOR));
    awaitText("closed (healthy)");
    keepPicture("phone-" + scheme);

    assertThat(number("header", ".length")).isOne();
    assertThat(number("header", "[0].offsetHeight")).isLessThan(64); // one line
    assertThat(tab.value("document.documentElement.scrollWidth")).isEqualTo(390);
    String nodes = "tbody th code"; // the addresses of the nodes
    assertThat(number(nodes, "[0].getClientRects().length")).isOne();
    tab.value(FIND.formatted("table") + ".at(-1).scrollIntoView()");
    keepPicture("phone-rules-" + scheme);
    for (String column : List.of("Allowed", "Denied")) {
      String heads = ".filter((one) => one.textContent === '" + column + "')[0]";
      assertThat(number("th", heads + ".getBoundingClientRect().right")).isBetween(1.0, 366.0);
    }
    await().until(() -> tab.text().contains("Scroll sideways for more"));
    tab.go(console("#/hot-keys"));
    awaitText("Most calls first.");
    keepPicture("phone-hot-keys-" + scheme);

    assertThat(tab.value("document.documentElement.scrollWidth")).isEqualTo(390);
    assertThat(tab.problems()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"light", "dark"})
  void showsRefusalsFirstAndFillsTheGrid(String scheme) throws Exception {
    tab.colorScheme(scheme);
    tab.resize(1280, 800);
    tab.go(console("#token=" + OPERATOR));
    Pattern headline = Pattern.compile("Refused [0-9.,]+ a second , [0-9.]+% of calls");
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              server.check("{\"path\":\"/sign-in\",\"attributes\":{\"user\":\"u\"}}");
              return headline.matcher(tab.text()).find();
            });
    keepPicture("desktop-" + scheme);

    assertThat(tab.text()).containsPattern("[0-9,]+ \\([<0-9.]+%\\) of calls since start");
    assertThat((String) tab.value(FIND.formatted("dt") + "[0].textContent")).isEqualTo("Refused");
    for (int width : new int[] {1280, 1000, 700, 390}) {
      tab.resize(width, 800);
      double grid = number("dl", "[0].getBoundingClientRect().right");
      assertThat(number("dl > div", ".at(-1).getBoundingClientRect().right"))
          .as("right edge of the last tile at %d", width)
          .isEqualTo(grid);
      assertThat(tab.value("document.documentElement.scrollWidth")).isEqualTo(width);
    }
    assertThat(tab.problems()).isEmpty();
  }

  @Test
  void marksInvisibleCharacters() throws Exception {
    String tenant = "abc\\u202egpj\\u200b.exe";
    String call = "{\"path\":\"/\",\"attributes\":{\"tenant\":\"" + tenant + "\"}}";
    String batch = "{\"calls\":[" + String.join(",", Collections.nCopies(BATCH, call)) + "]}";
    tab.go(console("#token=" + OPERATOR));
    awaitText("at \\u202E night");
    tab.go(console("#/hot-keys"));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              server.post("/v1/check/batch", batch);
              return tab.text().contains("tenant = abc \\u202E gpj \\u200B .exe");
            });
    keepPicture("marked");

    assertThat(tab.text()).doesNotContain("\u202e", "\u200b");
    assertThat(number("td bdi", ".length")).isPositive();
    assertThat(number("td .escape", ".length")).isGreaterThanOrEqualTo(2);
    assertThat(tab.problems()).isEmpty();
  }

  private static void ask(AtomicBoolean enough) {
    while (!enough.get()) {
      server.post("/v1/check/batch", CALLS);
    }
  }

  /** The contrast of each text colour with each background it is used on. */
  private List<Double> contrasts() {
    return List.of("--page", "--card", "--warn-card", "--bad-card").stream()
        .flatMap(
            ground ->
                List.of("--ink", "--quiet", "--accent", "--good", "--warn", "--bad").stream()
                    .map(ink -> contrast(luminance(ink), luminance(ground))))
        .toList();
  }

  private static double contrast(double one, double other) {
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  }

  /** Relative luminance, as WCAG defines it. */
  private double luminance(String variable) {
    String colour =
        (String)
            tab.value(
                "getComputedStyle(document.documentElement).getPropertyValue('"
                    + variable
                    + "').trim()");
    double sum = 0;
    double[] weights = {0.2126, 0.7152, 0.0722};
    for (int i = 0; i < 3; i++) {
      double part = Integer.parseInt(colour, 1 + 2 * i, 3 + 2 * i, 16) / 255.0;
      sum += weights[i] * (part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
  }

  /** Stores a screenshot beside the test reports. */
  private void keepPicture(String name) throws Exception {
    Path folder = Files.createDirectories(Path.of("target", "console"));
    Files.write(folder.resolve(name + ".png"), tab.screenshot());
  }
}

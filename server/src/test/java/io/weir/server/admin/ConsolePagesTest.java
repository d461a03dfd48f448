package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.http.identity.Sha256;
import io.weir.server.AdminRoutes;
import io.weir.server.config.AdminRole;
import io.weir.server.config.AdminSettings;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.fixture.TestServer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the console, as served. */
class ConsolePagesTest {
  private static final Pattern IMPORT = Pattern.compile("(?:import|from) ?\"([^\"]+)\"");
  private static final Pattern MAP =
      Pattern.compile("<script type=\"importmap\">(.*?)</script>", Pattern.DOTALL);
  private static final Pattern LINKED = Pattern.compile("(?:href|src)=\"([^\"]+)\"");

  private static TestServer server;

  @BeforeAll
  static void start() {
    AdminSettings admin =
        new AdminSettings(
            List.of(new AdminSettings.Token(Sha256.hex("good"), AdminRole.VIEWER, Instant.MAX)),
            true);
    server =
        TestServer.with(
            FrontEndSettings.DEFAULT.admin(admin), "{ id: secret-rule, key: [user], limit: 5/s }");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> get(String path) {
    return server.admin(path);
  }

  /** The page and all files it links to, by path. */
  private static Set<String> reached() {
    Set<String> seen = new HashSet<>();
    Deque<String> next = new ArrayDeque<>(List.of(ConsolePages.PATH));
    Map<String, Object> names =
        new JsonObject(importMap(get(ConsolePages.PATH).body())).getJsonObject("imports").getMap();
    while (!next.isEmpty()) {
      String path = next.pop();
      if (seen.add(path)) {
        HttpResponse<String> file = get(path);
        assertThat(file.statusCode()).as(path).isEqualTo(200);
        Pattern links = path.endsWith(".js") ? IMPORT : LINKED;
        links.matcher(file.body()).results().forEach(r -> next.push(to(path, r.group(1), names)));
      }
    }
    return seen;
  }

  /** The path of an import, resolved as a browser does. */
  private static String to(String from, String name, Map<String, Object> names) {
    if (name.startsWith("./") || !from.endsWith(".js")) {
      return URI.create(from).resolve(name).toString();
    }
    String best =
        names.keySet().stream()
            .filter(key -> key.equals(name) || (key.endsWith("/") && name.startsWith(key)))
            .max((one, other) -> Integer.compare(one.length(), other.length()))
            .orElseThrow(() -> new AssertionError(from + " imports " + name));
    String rest = name.substring(best.length());
    return URI.create(ConsolePages.PATH).resolve(names.get(best) + rest).toString();
  }

  private static String importMap(String page) {
    return MAP.matcher(page).results().findFirst().orElseThrow().group(1);
  }

  @Test
  void redirectsBrowsersFromTheRoot() throws Exception {
    try (TestServer server = TestServer.with("{ id: x, key: [], limit: 1/s }")) {
      URI root = URI.create("http://" + server.server.admin() + "/");
      HttpResponse<String> browser =
          server.send(
              HttpRequest.newBuilder(root).header("Accept", "text/html,application/xhtml+xml"));
      HttpResponse<String> other =
          server.send(HttpRequest.newBuilder(root).header("Accept", "*/*"));

      assertThat(browser.statusCode()).isEqualTo(302);
      assertThat(browser.headers().firstValue("location")).hasValue("/ui/");
      assertThat(other.statusCode()).isEqualTo(404);
      assertThat(other.body()).contains("/ui/").contains("/metrics");
    }
  }

  @Test
  void linksToExactlyTheFilesThatAreServed() {
    Set<String> served = new TreeSet<>(new ConsolePages().routes().keySet());
    served.remove("/ui");

    assertThat(new TreeSet<>(reached())).isEqualTo(served);
  }

  @Test
  void containsNoDataAndNoExternalResources() {
    for (String path : reached()) {
      String body = get(path).body().replace("http://www.w3.org/2000/svg", "");
      assertThat(body).as(path).doesNotContain("secret-rule");
      if (!path.contains("/lib/")) {
        assertThat(body).as(path).doesNotContain("://", "innerHTML", "unsafe", "eval(", "style=");
      }
    }
  }

  @Test
  void everyFileHasSecurityHeaders() {
    for (String path : new ConsolePages().routes().keySet()) {
      HttpResponse<String> file = get(path);
      assertThat(header(file, "content-security-policy"))
          .as(path)
          .startsWith("default-src 'none'; script-src 'self' 'sha256-")
          .contains("connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'")
          .contains("base-uri 'none'", "require-trusted-types-for 'script'")
          .doesNotContain("unsafe", "*", "http:", "data:");
      assertThat(header(file, "x-content-type-options")).isEqualTo("nosniff");
      assertThat(header(file, "x-frame-options")).isEqualTo("DENY");
      assertThat(header(file, "referrer-policy")).isEqualTo("no-referrer");
      assertThat(header(file, "cross-origin-opener-policy")).isEqualTo("same-origin");
      assertThat(header(file, "cache-control")).isEqualTo("no-cache");
      assertThat(file.headers().firstValue("set-cookie")).isEmpty();
      assertThat(file.headers().firstValue("access-control-allow-origin")).isEmpty();
    }
  }

  private static String header(HttpResponse<String> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Test
  void onlyInlineScriptIsTheOneInThePolicy() throws Exception {
    HttpResponse<String> page = get(ConsolePages.PATH);
    byte[] map = importMap(page.body()).getBytes(StandardCharsets.UTF_8);
    String hash =
        Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(map));

    assertThat(header(page, "content-security-policy")).contains("'sha256-" + hash + "'");
    assertThat(page.body()).doesNotContainPattern("<script(?![^>]*(importmap|src=))");
    assertThat(header(page, "content-type")).isEqualTo("text/html; charset=utf-8");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/ui/nothing.js",
        "/ui/libraries.properties",
        "/ui/index.html",
        "/ui/lib/lit/",
        "/ui/lib/lit/package.json",
        "/ui/..%2fJson.class",
        "/ui/../healthz/x",
        "/ui/lib/lit/../../../Json.class"
      })
  void otherPathsAreNotFound(String path) {
    assertThat(get(path).statusCode()).isEqualTo(404);
  }

  @Test
  void redirectsWithoutTheSlashAndRejectsOtherMethods() {
    HttpResponse<String> moved = get("/ui");
    HttpResponse<String> posted =
        server.send(
            HttpRequest.newBuilder(
                    URI.create("http://" + server.server.admin() + ConsolePages.PATH))
                .POST(BodyPublishers.ofString("x")));

    assertThat(moved.statusCode()).isEqualTo(308);
    assertThat(header(moved, "location")).isEqualTo(ConsolePages.PATH);
    assertThat(posted.statusCode()).isEqualTo(405);
  }

  @Test
  void dataNeedsAToken() {
    for (String path : List.of(AdminRoutes.OVERVIEW, AdminRoutes.HOT_KEYS, "/metrics")) {
      HttpResponse<String> refused = get(path);
      HttpResponse<String> answered =
          server.send(
              HttpRequest.newBuilder(URI.create("http://" + server.server.admin() + path))
                  .header("Authorization", "Bearer good"));

      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.body()).doesNotContain("secret-rule");
      assertThat(answered.statusCode()).isEqualTo(200);
      assertThat(answered.headers().firstValue("cache-control"))
          .isEqualTo(path.equals("/metrics") ? Optional.empty() : Optional.of("no-store"));
    }
  }
}

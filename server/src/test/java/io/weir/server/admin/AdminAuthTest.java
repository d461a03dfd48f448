package io.weir.server.admin;

import static io.weir.server.fixture.AdminRequests.get;
import static io.weir.server.fixture.AdminRequests.getWithToken;
import static io.weir.server.fixture.AdminRequests.token;
import static io.weir.server.fixture.AdminRequests.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.http.identity.Sha256;
import io.weir.server.AdminRoutes;
import io.weir.server.WeirServer;
import io.weir.server.config.AdminRole;
import io.weir.server.config.AdminSettings;
import io.weir.server.config.ConfigException;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import io.weir.server.fixture.TestServer;
import io.weir.server.http.ConnectionTracker;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Authentication of the admin API. */
@Timeout(120)
class AdminAuthTest {
  private static final String RULE = "{ id: a, key: [user], limit: 1000000/s, accuracy: exact }";

  @Test
  void generatesATokenIfNoneIsConfigured() {
    try (TestServer one = TestServer.with(RULE);
        TestServer other = TestServer.with(RULE)) {
      String token = one.server.generatedAdminToken().orElseThrow();

      assertThat(token).hasSizeGreaterThan(40);
      assertThat(other.server.generatedAdminToken().orElseThrow()).isNotEqualTo(token);
      assertThat(getWithToken(one, token).statusCode()).isEqualTo(200);
      assertThat(getWithToken(other, token).statusCode()).isEqualTo(401);
    }
  }

  @Test
  void generatesNoTokenIfSomeAreConfigured() {
    FrontEndSettings front =
        tokens(false, token("look", AdminRole.VIEWER), token("help", AdminRole.OPERATOR));
    try (TestServer server = TestServer.with(front, RULE)) {
      assertThat(server.server.generatedAdminToken()).isEmpty();
      assertThat(getWithToken(server, "look").statusCode()).isEqualTo(200);
      assertThat(getWithToken(server, "help").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void refusesRequestsWithoutAValidToken() {
    AdminSettings.Token expired =
        new AdminSettings.Token(Sha256.hex("old"), AdminRole.ADMIN, Instant.now());
    try (TestServer server =
        TestServer.with(tokens(false, token("good", AdminRole.ADMIN), expired), RULE)) {
      List<HttpResponse<String>> refused =
          List.of(
              get(server, AdminRoutes.HOT_KEYS),
              getWithToken(server, "wrong"),
              getWithToken(server, ""),
              getWithToken(server, "old"),
              getWithToken(server, Sha256.hex("good")),
              get(server, AdminRoutes.HOT_KEYS, "Authorization", "Basic good"),
              get(server, AdminRoutes.HOT_KEYS + "?token=good"),
              get(server, "/admin/v1/nothing-here"));

      assertThat(refused).extracting(HttpResponse::statusCode).containsOnly(401);
      assertThat(refused).extracting(HttpResponse::body).hasSizeGreaterThan(1).doesNotContain("");
      assertThat(refused.stream().map(HttpResponse::body).distinct()).hasSize(1);
      assertThat(refused.get(0).headers().firstValue("www-authenticate")).hasValue("Bearer");
    }
  }

  @Test
  void badTokensAreAnswered429AfterAWhileAndAGoodOneAlwaysPasses() {
    FrontEndSettings front = tokens(true, token("good", AdminRole.ADMIN));
    try (TestServer server = TestServer.with(front, RULE)) {
      for (int i = 0; i < AdminAuth.MAX_FAILURES; i++) {
        assertThat(getWithToken(server, "guess" + i).statusCode()).isEqualTo(401);
      }
      HttpResponse<String> late = getWithToken(server, "guess");

      assertThat(late.statusCode()).isEqualTo(429);
      assertThat(Long.parseLong(late.headers().firstValue("retry-after").orElseThrow()))
          .isBetween(1L, 7L);
      for (int i = 0; i < 2 * AdminAuth.MAX_FAILURES; i++) {
        assertThat(getWithToken(server, "good").statusCode()).isEqualTo(200);
        assertThat(getWithToken(server, "guess").statusCode()).isEqualTo(429);
      }
      assertThat(get(server, "/metrics", "Authorization", "Bearer guess").statusCode())
          .isEqualTo(429);
      assertThat(get(server, "/metrics", "Authorization", "Bearer good").statusCode())
          .isEqualTo(200);
      assertThat(get(server, "/healthz").statusCode()).isEqualTo(200);
    }
  }

  /** Any web page can make a browser send such requests, over plain HTTP without a mark. */
  @Test
  void requestsWithoutATokenDoNotCountAsFailures() {
    FrontEndSettings front = tokens(true, token("good", AdminRole.ADMIN));
    try (TestServer server = TestServer.with(front, RULE)) {
      for (int i = 0; i < 2 * AdminAuth.MAX_FAILURES; i++) {
        assertThat(get(server, AdminRoutes.HOT_KEYS).statusCode()).isEqualTo(401);
        assertThat(get(server, "/metrics").statusCode()).isEqualTo(401);
      }

      assertThat(getWithToken(server, "guess").statusCode()).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cross-site", "same-site"})
  void crossSiteRequestsAreRefusedAndDoNotCountAsFailures(String site) {
    FrontEndSettings front = tokens(false, token("good", AdminRole.ADMIN));
    try (TestServer server = TestServer.with(front, RULE)) {
      for (int i = 0; i < 2 * AdminAuth.MAX_FAILURES; i++) {
        String token = i % 2 == 0 ? "Bearer good" : "Bearer guess";
        HttpResponse<String> refused =
            get(server, AdminRoutes.HOT_KEYS, "Authorization", token, "Sec-Fetch-Site", site);
        assertThat(refused.statusCode()).isEqualTo(401);
      }

      assertThat(getWithToken(server, "good").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void metricsArePublicUnlessConfiguredOtherwise() {
    AdminSettings.Token good = token("good", AdminRole.VIEWER);
    try (TestServer open = TestServer.with(tokens(false, good), RULE);
        TestServer closed = TestServer.with(tokens(true, good), RULE)) {
      assertThat(get(open, "/metrics").statusCode()).isEqualTo(200);
      assertThat(get(closed, "/metrics").statusCode()).isEqualTo(401);
      assertThat(get(closed, "/metrics", "Authorization", "Bearer good").statusCode())
          .isEqualTo(200);
      assertThat(get(closed, "/readyz").statusCode()).isEqualTo(200);
      assertThat(get(closed, "/v1/check").statusCode()).isEqualTo(404);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::"})
  void doesNotStartOnAPublicAddressWithoutTokens(String host) {
    ServerConfig config = ServerConfig.DEFAULT.admin(new ListenAddress(host, 0));

    assertThatThrownBy(() -> WeirServer.start(config))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.reasons())
                    .singleElement()
                    .asString()
                    .contains("can be reached from other machines; set admin.tokens"));
  }

  @Test
  void startsOnAPublicAddressWithTokens() {
    FrontEndSettings front = tokens(false, token("good", AdminRole.ADMIN));
    try (TestServer server =
        TestServer.with(
            config -> config.frontEnd(front).admin(new ListenAddress("0.0.0.0", 0)),
            ConnectionTracker.TICK,
            RULE)) {
      assertThat(server.server.generatedAdminToken()).isEmpty();
    }
  }

  private static ServerConfig read(Path folder, String yaml, Map<String, String> environment)
      throws Exception {
    Path file = Files.writeString(folder.resolve("weir.yaml"), yaml);
    return ServerConfig.read(Optional.of(file), environment);
  }

  @Test
  void readsTokensFromTheConfigurationAFileAndTheEnvironment(@TempDir Path folder)
      throws Exception {
    String hash = Sha256.hex("x");
    Files.writeString(
        folder.resolve("tokens"), "# those on call\n" + hash + " operator 2027-01-01 # Ann\n\n");
    AdminSettings written =
        read(folder, "admin: { tokens: [" + hash + " viewer], metrics: token }\n", Map.of())
            .frontEnd()
            .admin();
    AdminSettings inFile =
        read(folder, "admin: { tokens_file: tokens }\nlisten: { admin: 0.0.0.0:1 }\n", Map.of())
            .frontEnd()
            .admin();
    AdminSettings inEnvironment =
        read(folder, "", Map.of("WEIR_ADMIN_TOKENS", hash + " admin, " + hash + " viewer"))
            .frontEnd()
            .admin();

    assertThat(written)
        .isEqualTo(
            new AdminSettings(
                List.of(new AdminSettings.Token(hash, AdminRole.VIEWER, Instant.MAX)), true));
    assertThat(inFile.tokens())
        .containsExactly(
            new AdminSettings.Token(
                hash, AdminRole.OPERATOR, Instant.parse("2027-01-01T00:00:00Z")));
    assertThat(inEnvironment.tokens())
        .extracting(AdminSettings.Token::role)
        .containsExactly(AdminRole.ADMIN, AdminRole.VIEWER);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          admin: { tokens: [secret viewer] }    | tokens are written as their SHA-256
          admin: { tokens: [HASH] }             | tokens are written as their SHA-256
          admin: { tokens: [HASH boss] }        | 'boss' is not viewer, operator or admin
          admin: { tokens: [HASH viewer soon] } | 'soon' is not a date
          admin: { metrics: yes }               | must be 'open' or 'token'
          listen: { admin: 0.0.0.0:6070 }       | set admin.tokens, or listen on 127.0.0.1
          """)
  void saysWhatIsWrong(String yaml, String reason, @TempDir Path folder) {
    String text = yaml.replace("HASH", "0".repeat(64));

    assertThatThrownBy(() -> read(folder, text, Map.of()))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.reasons())
                    .singleElement()
                    .asString()
                    .contains(":1: ")
                    .contains(reason)
                    .doesNotContain("secret"));
  }
}

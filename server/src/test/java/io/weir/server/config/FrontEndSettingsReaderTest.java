package io.weir.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.http.HeaderDialect;
import io.weir.http.identity.Cidr;
import io.weir.http.identity.JwtSettings;
import io.weir.http.identity.Sha256;
import io.weir.server.WeirServer;
import io.weir.server.fixture.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrontEndSettingsReaderTest {
  private static final String HASH = Sha256.hex("token");

  @TempDir Path folder;

  private FrontEndSettings read(String yaml, Map<String, String> environment)
      throws ConfigException {
    try {
      Path file = folder.resolve("weir.yaml");
      Files.writeString(file, yaml);
      return ServerConfig.read(Optional.of(file), environment).frontEnd();
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void readsEverySetting() throws Exception {
    FrontEndSettings front =
        read(
            """
            identity:
              client_ip: { header: Forwarded, trusted: [10.0.0.0/8, "::1"], hops: 2, ipv6_prefix: 56 }
              api_key:   { header: X-API-Key, known: keys.txt }
              jwt:
                jwks: jwks.json
                issuer: https://id.example.com
                audience: weir
                claims: { user: sub, tenant: org.id }
                leeway: 10s
                refresh: 1h
                failures: 7
                threads: 2
                queue: 50
            headers: [ietf, x-ratelimit]
            callers: { tokens: [%s], mtls: { ca: ca.pem, names: [envoy, edge] } }
            tls: { cert: c.pem, key: k.pem, listeners: [http, grpc, gateway] }
            """
                .formatted(HASH.toUpperCase(java.util.Locale.ROOT)),
            Map.of());

    var address = front.identity().address();
    assertThat(address.header()).isEqualTo("forwarded");
    assertThat(address.trusted()).containsExactly(Cidr.parse("10.0.0.0/8"), Cidr.parse("::1"));
    assertThat(address.hops()).isEqualTo(2);
    assertThat(address.ipv6Prefix()).isEqualTo(56);
    assertThat(front.identity().apiKey())
        .hasValue(
            new IdentitySettings.ApiKey("x-api-key", Optional.of(folder.resolve("keys.txt"))));
    var jwt = front.identity().jwt().orElseThrow();
    assertThat(jwt.jwks()).isEqualTo(folder.resolve("jwks.json").toUri());
    assertThat(jwt.issuer()).hasValue("https://id.example.com");
    assertThat(jwt.audience()).hasValue("weir");
    assertThat(jwt.claims()).isEqualTo(Map.of("user", "sub", "tenant", "org.id"));
    assertThat(jwt.leeway()).isEqualTo(Duration.ofSeconds(10));
    assertThat(jwt.refresh()).isEqualTo(Duration.ofHours(1));
    assertThat(jwt.checks()).isEqualTo(new JwtSettings.Checks(7, 2, 50));
    assertThat(front.headers())
        .containsExactly(HeaderDialect.named("ietf"), HeaderDialect.named("x-ratelimit"));
    assertThat(front.callers().tokens()).containsExactly(HASH);
    assertThat(front.callers().authority()).hasValue(folder.resolve("ca.pem"));
    assertThat(front.callers().names()).containsExactlyInAnyOrder("envoy", "edge");
    assertThat(front.tls())
        .hasValue(
            new TlsSettings(
                folder.resolve("c.pem"),
                folder.resolve("k.pem"),
                Set.of("http", "grpc", "gateway")));
  }

  @Test
  void readsTheGateway() throws Exception {
    GatewaySettings gateway =
        read(
                """
                listen: { gateway: 127.0.0.1:80, http: 127.0.0.1:81 }
                gateway:
                  upstream: http://127.0.0.1:9000
                  upstreams: { /api/v1.0: "https://api", /grpc: "h2c://[::1]:5" }
                  timeout: 5s
                  connect_timeout: 100ms
                  max_body: 1000
                  connections: 7
                  drain: 1min
                """,
                Map.of())
            .gateway();

    assertThat(gateway.address()).isEqualTo(new ListenAddress("127.0.0.1", 80));
    assertThat(gateway.upstreams())
        .extracting(one -> one.prefix() + " " + one.host() + " " + one.port())
        .containsExactly("/ 127.0.0.1 9000", "/api/v1.0 api 443", "/grpc ::1 5");
    assertThat(gateway.timeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(gateway.connectTimeout()).isEqualTo(Duration.ofMillis(100));
    assertThat(gateway.maxBody()).isEqualTo(1000);
    assertThat(gateway.connections()).isEqualTo(7);
    assertThat(gateway.drain()).isEqualTo(Duration.ofMinutes(1));
    assertThat(gateway.decisions()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"1ms, 1", "500ms, 1", "1s, 1", "1500ms, 2", "60s, 60", "day, 86400"})
  void countsTheTimeoutInWholeSecondsOfAtLeastOne(String timeout, int ticks) throws Exception {
    GatewaySettings gateway = read("gateway: { timeout: " + timeout + " }", Map.of()).gateway();

    assertThat(gateway.timeoutTicks()).isEqualTo(ticks);
  }

  @Test
  void readsUpstreamsFromTheEnvironment() throws Exception {
    GatewaySettings gateway =
        read("", Map.of("WEIR_GATEWAY_UPSTREAMS", "/a=http://a,/b=http://b:2")).gateway();

    assertThat(gateway.upstreams())
        .extracting(one -> one.prefix() + " " + one.uri())
        .containsExactly("/a http://a", "/b http://b:2");
    assertThat(gateway.isOn()).isTrue();
    assertThat(gateway.decisions()).isFalse();
  }

  @Test
  void readsTheSameFromTheEnvironment() throws Exception {
    FrontEndSettings front =
        read(
            "headers: [ietf]",
            Map.of(
                "WEIR_IDENTITY_CLIENT_IP_TRUSTED", "10.0.0.0/8, 192.168.0.0/16",
                "WEIR_IDENTITY_API_KEY_HEADER", "x-key",
                "WEIR_IDENTITY_API_KEY_KNOWN", "any",
                "WEIR_IDENTITY_JWT_JWKS", "https://id.example.com/jwks",
                "WEIR_IDENTITY_JWT_CLAIMS", "user=email,tenant=org",
                "WEIR_HEADERS", "draft-06,ietf",
                "WEIR_CALLERS_TOKENS", HASH));

    assertThat(front.identity().address().trusted()).hasSize(2);
    assertThat(front.identity().apiKey())
        .hasValue(new IdentitySettings.ApiKey("x-key", Optional.empty()));
    assertThat(front.identity().jwt().orElseThrow().claims())
        .isEqualTo(Map.of("user", "email", "tenant", "org"));
    assertThat(front.headers())
        .containsExactly(HeaderDialect.named("draft-06"), HeaderDialect.named("ietf"));
    assertThat(front.callers().acceptsAll()).isFalse();
  }

  @Test
  void trustsNoProxyAndSendsAllHeadersByDefault() throws Exception {
    assertThat(read("", Map.of())).isEqualTo(FrontEndSettings.DEFAULT);
    assertThat(FrontEndSettings.DEFAULT.headers()).isEqualTo(HeaderDialect.ALL);
    assertThat(FrontEndSettings.DEFAULT.identity().address().trusted()).isEmpty();
    assertThat(FrontEndSettings.DEFAULT.identity().address().ipv6Prefix()).isEqualTo(64);
  }

  @Test
  void sendsNoHeadersIfTheListIsEmpty() throws Exception {
    assertThat(read("headers: []", Map.of()).headers()).isEmpty();
    assertThat(read("headers: [ietf]", Map.of("WEIR_HEADERS", "")).headers()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "headers: [morse]                              | 'morse' is none of the header dialects",
        "headers: [\"ietf,draft-06\"]                  | must not contain a comma",
        "identity: { client_ip: { trusted: [10/8] } }  | is not a range of addresses",
        "identity: { client_ip: { hops: 101 } }        | 101 is more than 100",
        "identity: { client_ip: { header: x y, hops: 1 } } | is not the name of a header",
        "identity: { client_ip: { header: x-real-ip } }| has no effect; set trusted",
        "identity: { client_ip: { ipv6_prefix: 0 } }   | 0 is less than 1",
        "identity: { api_key: { header: x } }          | set identity.api_key.known",
        "identity: { api_key: { known: any } }         | set the header too",
        "identity: { jwt: { issuer: x } }              | has no effect without identity.jwt.jwks",
        "identity: { jwt: { threads: 2 } }             | has no effect without identity.jwt.jwks",
        "identity: { jwt: { jwks: j, failures: 0 } }   | identity.jwt.failures",
        "identity: { jwt: { jwks: j, threads: 65 } }   | 65 is more than 64",
        "identity: { jwt: { jwks: \"ftp://x\" } }      | is neither a file nor https://",
        "identity: { jwt: { jwks: j, claims: { ip: x } } } | ip is reserved; a token cannot set it",
        "identity: { jwt: { jwks: j, claims: { user: } } } | is not a claim such as user: sub",
        "identity: { jwt: { jwks: j, leeway: soon } }  | leeway",
        "identity: { jwt: { jwks: j, leeway: 500ms } } | identity.jwt.leeway: leeway is not in whole seconds",
        "identity: { jwt: { jwks: j, leeway: 6min } }  | identity.jwt.leeway: leeway is not between 0 and 5",
        "callers: { tokens: [secret] }                 | tokens are written as their SHA-256",
        "callers: { mtls: { ca: ca.pem } }             | client certificates need tls on the listener http and grpc",
        "{ callers: { mtls: { ca: a } }, tls: { cert: c, key: k, listeners: [http, admin] } } | need tls on the listener grpc",
        "{ callers: { mtls: { ca: a } }, tls: { cert: c, key: k, listeners: [grpc] } }        | need tls on the listener http",
        "callers: { tokens: [] }                       | is empty, so every caller would be accepted",
        "callers: { mtls: { names: [a] } }             | has no effect without callers.mtls.ca",
        "tls: { cert: c.pem }                          | needs both tls.cert and tls.key",
        "tls: { cert: c, key: k, listeners: [htp] }    | 'htp' is not one of http, grpc",
        "identity: { colour: red }                     | is not a setting; known here: identity.",
        "colour: red                                   | is not a setting; known here: listen, store",
        "gateway: { upstream: \"ftp://x\" }            | is not an upstream such as",
        "gateway: { upstream: \"http://x/path\" }      | has more than a host and a port; requests keep their own path, so write http://x",
        "gateway: { upstream: \"x:9000\" }             | is not an upstream such as http://127.0.0.1:9000; did you mean http://x:9000?",
        "gateway: { upstream: \"http://u:p@x\" }       | an upstream address must not contain a user",
        "gateway: { upstream: \"http:// x\" }          | is not an upstream such as",
        "gateway: { upstreams: { a: \"http://x\" } }   | is not a prefix such as / or /api",
        "gateway: { upstreams: { /a/: \"http://x\" } } | is not a prefix such as / or /api",
        "gateway: { upstreams: { /caf%c3%a9: \"http://x\" } } | write '/caf%C3%A9'",
        "gateway: { upstreams: { /x%7E: \"http://x\" } } | '/x%7E' is not a normalised path; write '/x~'",
        "gateway: { upstreams: { /a/../b: \"http://x\" } } | write '/b'",
        "gateway: { upstreams: { /: \"http://x\" }, upstream: \"http://y\" } | a prefix is duplicated",
        "gateway: { timeout: 2day }                    | more than a day",
        "gateway: { timeout: 0s }                      | gateway.timeout: must be more than 0",
        "gateway: { connect_timeout: 0ms }             | gateway.connect_timeout: must be more than 0",
      })
  void refusesInvalidSettings(String yaml, String reason) {
    ConfigException refused =
        catchThrowableOfType(ConfigException.class, () -> read(yaml, Map.of()));

    assertThat(refused.reasons()).hasSize(1);
    assertThat(refused.reasons().get(0)).contains("weir.yaml:1: ").contains(reason);
  }

  @Test
  void doesNotStartWithInvalidFiles() throws Exception {
    Path rules = folder.resolve("rules.yaml");
    Files.writeString(rules, TestServer.document("{ id: a, key: [], limit: 1/s }"));
    IdentitySettings keys =
        IdentitySettings.DEFAULT.apiKey(
            new IdentitySettings.ApiKey("x", Optional.of(folder.resolve("none"))));
    ServerConfig config =
        ServerConfig.DEFAULT
            .rules(rules)
            .http(new ListenAddress("127.0.0.1", 0))
            .admin(new ListenAddress("127.0.0.1", 0));

    assertThat(reasons(config.frontEnd(FrontEndSettings.DEFAULT.identity(keys))))
        .containsExactly("identity.api_key.known: there is no such file");
    assertThat(
            reasons(
                config.frontEnd(
                    FrontEndSettings.DEFAULT.tls(
                        new TlsSettings(
                            folder.resolve("c"), folder.resolve("k"), TlsSettings.ALL)))))
        .singleElement()
        .asString()
        .startsWith("cannot listen on 127.0.0.1:0 (http): ");
  }

  private static List<String> reasons(ServerConfig config) {
    return catchThrowableOfType(ConfigException.class, () -> WeirServer.start(config)).reasons();
  }
}

package io.weir.server.front;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.vertx.core.json.JsonObject;
import io.weir.http.identity.Cidr;
import io.weir.http.identity.ClientAddress;
import io.weir.http.identity.JwtSettings;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.IdentitySettings;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestGateway;
import io.weir.server.fixture.TestServer;
import io.weir.server.http.ConnectionTracker;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Forged tokens with the id of a real key, which cost a signature check each. */
class ForgedTokenFloodTest {
  private static final int BUDGET = 5;

  /** A long timeout: on a busy machine a thread may start late, which is not tested here. */
  private static final JwtSettings.Checks CHECKS =
      new JwtSettings.Checks(BUDGET, 1, 1000, Duration.ofSeconds(30));

  private static final String ATTACKER = "203.0.113.1";
  private static final String HONEST = "203.0.113.2";
  private static final String PER_USER = "{ id: u, key: [user], limit: 8/h }";

  @TempDir Path folder;
  private ECKey key;
  private FrontEndSettings frontEnd;

  @BeforeEach
  void writeKeys() throws Exception {
    key = new ECKeyGenerator(Curve.P_521).keyID("k1").generate();
    Path jwks = folder.resolve("jwks.json");
    Files.writeString(jwks, new JWKSet(key.toPublicJWK()).toString());
    frontEnd =
        FrontEndSettings.DEFAULT.identity(
            IdentitySettings.DEFAULT
                .address(
                    new ClientAddress("x-forwarded-for", List.of(Cidr.parse("127.0.0.0/8")), 0, 64))
                .jwt(JwtSettings.of(jwks.toUri()).checks(CHECKS)));
  }

  private String good(String user) throws Exception {
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder()
            .subject(user)
            .expirationTime(Date.from(Instant.now().plusSeconds(600)))
            .build();
    SignedJWT jwt =
        new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.ES512).keyID("k1").build(), claims);
    jwt.sign(new ECDSASigner(key));
    return jwt.serialize();
  }

  private String forged(String user) throws Exception {
    String token = good(user);
    String another = good("another");
    return token.substring(0, token.lastIndexOf('.')) + another.substring(another.lastIndexOf('.'));
  }

  private static HttpResponse<String> ask(TestServer server, String address, String token) {
    return server.send(
        HttpRequest.newBuilder(server.uri("/v1/authorize"))
            .headers("X-Original-Method", "GET", "X-Original-URI", "/a")
            .headers("X-Forwarded-For", address, "Authorization", "Bearer " + token));
  }

  private static long tokens(TestServer server, String outcome) {
    return (long)
        server.metric("weir_token_checks_total{outcome=\"" + outcome + "\"}").orElseThrow();
  }

  @Test
  void costsAnAddressItsBudgetAndIsLimitedByThatAddress() throws Exception {
    try (TestServer server = TestServer.with(frontEnd, PER_USER)) {
      String known = good("known");
      assertThat(ask(server, ATTACKER, known).statusCode()).isEqualTo(200);
      for (int i = 0; i < 20; i++) {
        // Each token names another user, and all count as one anonymous client.
        assertThat(ask(server, ATTACKER, forged("x" + i)).statusCode())
            .isEqualTo(i < 8 ? 200 : 429);
      }
      assertThat(tokens(server, "failed")).isBetween((long) BUDGET, BUDGET + 2L);
      assertThat(tokens(server, "failed") + tokens(server, "over_budget")).isEqualTo(20);

      assertThat(ask(server, ATTACKER, good("new")).statusCode()).isEqualTo(429);
      assertThat(ask(server, ATTACKER, known).statusCode()).isEqualTo(200);
      assertThat(ask(server, HONEST, good("new")).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void waitsForASignatureAtTheGatewayWithItsBodyUnread() throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway =
            TestGateway.before(
                upstream.url(),
                front -> front.identity(frontEnd.identity()),
                ConnectionTracker.TICK,
                "{ id: u, key: [user], limit: 2/h }")) {
      String token = good("42");
      for (int status : new int[] {200, 200, 429}) {
        HttpResponse<String> response =
            gateway.client.send(
                gateway
                    .request("/a")
                    .header("Authorization", "Bearer " + token)
                    .POST(HttpRequest.BodyPublishers.ofString("x".repeat(100_000)))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(status);
      }
      assertThat(gateway.metric("weir_token_checks_total{outcome=\"verified\"}")).isOne();
      assertThat(gateway.get("/a", "Authorization", "Bearer " + forged("42")).statusCode())
          .isEqualTo(200); // anonymous, so counted separately
    }
  }

  /** An error after the wait for the signature leaves the connection as usable as one before it. */
  @Test
  void discardsAnUnwantedBodyAfterTheWait() throws Exception {
    try (EchoUpstream upstream = new EchoUpstream();
        TestGateway gateway =
            TestGateway.before(
                upstream.url(),
                front -> front.identity(frontEnd.identity()),
                ConnectionTracker.TICK,
                "{ id: c, key: [user], limit: 9/h, cost: { attribute: header.x-cost, max: 5 } }");
        RawClient client = gateway.raw()) {
      String head = "POST /a HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ";
      String bad = "\r\nX-Cost: much\r\nContent-Length: 4\r\n\r\nbody";
      client.send(head + good("42") + bad);
      assertThat(client.readUntil("\r\n\r\n", 1)).startsWith("HTTP/1.1 400");
      client.send(head + good("43") + "\r\nX-Cost: 1\r\nContent-Length: 4\r\n\r\nbody");
      assertThat(client.readUntil("HTTP/1.1 200", 1)).isNotEmpty();
    }
  }

  @Test
  void identifiesTheUserOfALimitsRequest() throws Exception {
    try (TestServer server = TestServer.with(frontEnd, PER_USER)) {
      String token = good("42");
      ask(server, HONEST, token);
      for (String own : new String[] {token, good("43")}) {
        HttpResponse<String> limits =
            server.send(
                HttpRequest.newBuilder(server.uri("/v1/limits?path=/a"))
                    .header("Authorization", "Bearer " + own));
        assertThat(new JsonObject(limits.body()).getInteger("remaining"))
            .isEqualTo(own.equals(token) ? 7 : 8);
      }
    }
  }
}

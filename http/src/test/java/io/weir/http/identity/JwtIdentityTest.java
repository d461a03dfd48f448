package io.weir.http.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.OctetSequenceKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.weir.http.FakeRequestHead;
import io.weir.rule.RuleSet;
import io.weir.time.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JwtIdentityTest {
  private static final RuleHeaders NONE = RuleHeaders.of(RuleSet.EMPTY);
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final RSAKey RSA = rsa("r1");
  private static final RSAKey OTHER = rsa("r2");
  private static final ECKey EC = ec();

  @TempDir Path folder;
  private final VirtualTime time = new VirtualTime(NOW);

  private static RSAKey rsa(String id) {
    try {
      return new RSAKeyGenerator(2048).keyID(id).generate();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static ECKey ec() {
    try {
      return new ECKeyGenerator(Curve.P_256).keyID("e1").generate();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static JWTClaimsSet.Builder claims() {
    return new JWTClaimsSet.Builder()
        .subject("42")
        .issuer("https://id.example.com")
        .audience("weir")
        .claim("tenant_id", 7)
        .expirationTime(Date.from(NOW.plusSeconds(600)));
  }

  private static String signed(UnaryOperator<JWTClaimsSet.Builder> change) throws Exception {
    return signed(header(JWSAlgorithm.RS256, RSA), new RSASSASigner(RSA), change);
  }

  private static JWSHeader header(JWSAlgorithm algorithm, JWK key) {
    return new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build();
  }

  private static String signed(
      JWSHeader header, JWSSigner signer, UnaryOperator<JWTClaimsSet.Builder> change)
      throws Exception {
    SignedJWT jwt = new SignedJWT(header, change.apply(claims()).build());
    jwt.sign(signer);
    return jwt.serialize();
  }

  private void writeKeys(JWK... keys) throws IOException {
    // Private parts included: publishing only public keys is up to the operator, and HMAC has none.
    Files.writeString(folder.resolve("jwks.json"), new JWKSet(List.of(keys)).toString(false));
  }

  private JwtSettings settings() {
    return JwtSettings.of(folder.resolve("jwks.json").toUri())
        .from("https://id.example.com", "weir")
        .claims(Map.of("user", "sub", "tenant", "tenant_id"));
  }

  private Identity identity(JwtSettings settings) throws IOException {
    return Identity.builder().withoutThreads(time).jwt(settings).build();
  }

  private Identity identity() throws IOException {
    writeKeys(RSA, EC);
    return identity(settings());
  }

  private static Map<String, String> attributes(Identity identity, String token) {
    return IdentityCalls.of(
            identity,
            FakeRequestHead.from("192.0.2.1").with("Authorization", "Bearer " + token),
            NONE)
        .attributes();
  }

  private static void assertAnonymous(Identity identity, String token) {
    assertThat(attributes(identity, token)).containsOnlyKeys("ip");
  }

  @Test
  void takesTheClaimsOfAVerifiedToken() throws Exception {
    Identity identity = identity();
    String token = signed(c -> c);

    for (int i = 0; i < 2; i++) { // verified, then cached
      assertThat(attributes(identity, token))
          .containsExactlyInAnyOrderEntriesOf(
              Map.of("ip", "192.0.2.1", "user", "42", "tenant", "7"));
    }
  }

  @Test
  void acceptsOtherAlgorithmsThatMatchAKey() throws Exception {
    Identity identity = identity();
    String byCurve = signed(header(JWSAlgorithm.ES256, EC), new ECDSASigner(EC), c -> c);
    JWSHeader access =
        new JWSHeader.Builder(JWSAlgorithm.PS256)
            .keyID("r1")
            .type(new JOSEObjectType("at+jwt"))
            .build();

    assertThat(attributes(identity, byCurve)).containsEntry("user", "42");
    assertThat(attributes(identity, signed(access, new RSASSASigner(RSA), c -> c)))
        .containsEntry("user", "42");
  }

  @Test
  void acceptsHmacOnlyIfTheKeySetHasASecret() throws Exception {
    OctetSequenceKey secret = new OctetSequenceKeyGenerator(256).keyID("s1").generate();
    String token = signed(header(JWSAlgorithm.HS256, secret), new MACSigner(secret), c -> c);
    assertAnonymous(identity(), token);
    writeKeys(secret);

    assertThat(attributes(identity(settings()), token)).containsEntry("user", "42");
  }

  @Test
  void leavesForgedAndUnsignedTokensAnonymous() throws Exception {
    Identity identity = identity();
    String good = signed(c -> c);
    String[] parts = good.split("\\.");
    String forgedClaims = parts[0] + "." + signed(c -> c.subject("1")).split("\\.")[1];
    byte[] publicKey = RSA.toRSAPublicKey().getEncoded();

    assertAnonymous(identity, forgedClaims + "." + parts[2]);
    assertAnonymous(identity, parts[0] + "." + parts[1] + ".");
    assertAnonymous(identity, parts[0] + "." + parts[1]);
    assertAnonymous(identity, new PlainJWT(claims().build()).serialize());
    assertAnonymous(
        identity, signed(header(JWSAlgorithm.RS256, RSA), new RSASSASigner(OTHER), c -> c));
    assertAnonymous(
        identity, signed(header(JWSAlgorithm.HS256, RSA), new MACSigner(publicKey), c -> c));
    assertAnonymous(identity, "");
    assertAnonymous(identity, "a.b.c");
    assertAnonymous(identity, "e30.e30.e30");
    assertAnonymous(identity, "{".repeat(10_000));
  }

  @Test
  void leavesTokensForOtherAudiencesAnonymous() throws Exception {
    Identity identity = identity();

    assertAnonymous(identity, signed(c -> c.audience("another")));
    assertAnonymous(identity, signed(c -> c.audience((String) null)));
    assertAnonymous(identity, signed(c -> c.issuer("https://evil.example.com")));
    assertAnonymous(identity, signed(c -> c.issuer(null)));
    assertThat(attributes(identity, signed(c -> c.audience(List.of("other", "weir")))))
        .containsKey("user");
  }

  @Test
  void leavesExpiredAndFutureTokensAnonymous() throws Exception {
    Identity identity = identity();

    assertAnonymous(identity, signed(c -> c.expirationTime(Date.from(NOW.minusSeconds(10)))));
    assertAnonymous(identity, signed(c -> c.expirationTime(null)));
    assertAnonymous(identity, signed(c -> c.notBeforeTime(Date.from(NOW.plusSeconds(60)))));
  }

  @Test
  void forgetsAVerifiedTokenWhenItExpires() throws Exception {
    Identity identity = identity();
    String token = signed(c -> c);
    assertThat(attributes(identity, token)).containsKey("user");
    time.advance(Duration.ofSeconds(604));
    assertThat(attributes(identity, token)).containsKey("user");
    time.advance(Duration.ofSeconds(2));

    assertAnonymous(identity, token);
  }

  @Test
  void acceptsExactlyOneBearerToken() throws Exception {
    Identity identity = identity();
    String token = signed(c -> c);
    FakeRequestHead basic =
        FakeRequestHead.from("192.0.2.1").with("authorization", "Basic " + token);
    FakeRequestHead twice =
        FakeRequestHead.from("192.0.2.1")
            .with("authorization", "Bearer " + token)
            .with("authorization", "Bearer " + token);
    FakeRequestHead lower =
        FakeRequestHead.from("192.0.2.1").with("authorization", "bearer  " + token + " ");

    assertThat(IdentityCalls.of(identity, basic, NONE).attribute("user")).isNull();
    assertThat(IdentityCalls.of(identity, twice, NONE).attribute("user")).isNull();
    assertThat(IdentityCalls.of(identity, lower, NONE).attribute("user")).isEqualTo("42");
  }

  @Test
  void findsNestedClaims() throws Exception {
    writeKeys(RSA);
    JwtSettings settings =
        settings()
            .claims(Map.of("a", "org.id", "b", "x.y", "c", "org.none", "d", "flag", "e", "list"));
    Map<String, String> attributes =
        attributes(
            identity(settings),
            signed(
                c ->
                    c.claim("org", Map.of("id", "o1"))
                        .claim("x.y", "dotted")
                        .claim("flag", true)
                        .claim("list", List.of("1"))));

    assertThat(attributes)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("ip", "192.0.2.1", "a", "o1", "b", "dotted", "d", "true"));
  }

  @Test
  void takesPrecedenceOverAnApiKey() throws Exception {
    writeKeys(RSA);
    Path keys = folder.resolve("keys");
    Files.writeString(keys, Sha256.hex("k1") + " user=1 tenant=2 plan=3");
    Identity identity =
        Identity.builder().withoutThreads(time).apiKeys("x-api-key", keys).jwt(settings()).build();
    FakeRequestHead head =
        FakeRequestHead.from("192.0.2.1")
            .with("x-api-key", "k1")
            .with("authorization", "Bearer " + signed(c -> c));

    assertThat(IdentityCalls.of(identity, head, NONE).attributes())
        .containsEntry("user", "42")
        .containsEntry("tenant", "7")
        .containsEntry("plan", "3")
        .containsKey("api_key");
  }

  @Test
  void takesNewKeysFromTheFile() throws Exception {
    writeKeys(OTHER);
    Identity identity = identity(settings());
    String token = signed(c -> c);
    assertAnonymous(identity, token);
    writeKeys(OTHER, RSA);
    pollTwice(identity);
    assertThat(attributes(identity, token)).containsKey("user");
    writeKeys(OTHER);
    pollTwice(identity);

    assertAnonymous(identity, token); // even if it was cached
  }

  /** A file written a moment ago is accepted once it is unchanged at the next poll. */
  private void pollTwice(Identity identity) {
    for (int i = 0; i < 2; i++) {
      time.advance(Duration.ofSeconds(3));
      identity.tick();
    }
  }

  @Test
  void rejectsInvalidSettings() throws IOException {
    Files.writeString(folder.resolve("jwks.json"), "no keys");

    assertThatThrownBy(() -> identity(settings())).hasMessageContaining("Key Set");
    assertThatThrownBy(() -> settings().claims(Map.of("ip", "sub"))).hasMessageContaining("ip");
    assertThatThrownBy(() -> leeway(Duration.ofHours(1))).hasMessageContaining("5 minutes");
    assertThatThrownBy(() -> leeway(Duration.ofMillis(500))).hasMessageContaining("whole seconds");
  }

  private JwtSettings leeway(Duration leeway) {
    JwtSettings usual = settings();
    return new JwtSettings(
        usual.jwks(),
        usual.issuer(),
        usual.audience(),
        usual.claims(),
        leeway,
        usual.refresh(),
        usual.checks());
  }

  @Test
  void fetchesKeysAndFetchesThemAgainWhenATokenNamesAnother() throws Exception {
    try (KeyServer server = new KeyServer()) {
      server.keys = new JWKSet(OTHER).toString();
      Identity identity = identity(JwtSettings.of(server.uri()));
      String token = signed(c -> c);
      assertAnonymous(identity, token);
      server.keys = new JWKSet(List.of(OTHER, RSA)).toString();
      identity.tick();
      assertThat(server.asked).hasValue(1); // not for every invented key id
      time.advance(Duration.ofSeconds(11));
      identity.tick();
      assertThat(server.asked).hasValue(2);
      assertThat(attributes(identity, token)).containsEntry("user", "42");
      time.advance(Duration.ofSeconds(11));
      identity.tick();

      assertThat(server.asked).hasValue(2);
    }
  }

  @Test
  void keepsItsKeysWhileTheKeyServerIsUnavailable() throws Exception {
    try (KeyServer server = new KeyServer()) {
      server.keys = new JWKSet(RSA).toString();
      Identity identity = identity(JwtSettings.of(server.uri()));
      String token = signed(c -> c);
      for (String broken : List.of("not keys", "x".repeat(2 << 20))) {
        server.keys = broken;
        time.advance(Duration.ofMinutes(6));
        identity.tick();
        assertThat(attributes(identity, signed(c -> c.expirationTime(null)))).hasSize(1);
      }
      server.status = 500;
      time.advance(Duration.ofSeconds(11));
      identity.tick();

      assertThat(server.asked).hasValue(4);
      assertThat(
              attributes(
                  identity, signed(c -> c.expirationTime(Date.from(NOW.plusSeconds(99_999))))))
          .containsKey("user");
    }
  }

  @Test
  void startsWithoutTheKeyServerAndConnectsLater() throws Exception {
    try (KeyServer server = new KeyServer()) {
      server.status = 503;
      Identity identity = identity(JwtSettings.of(server.uri()));
      assertAnonymous(identity, signed(c -> c));
      server.status = 200;
      server.keys = new JWKSet(RSA).toString();
      time.advance(Duration.ofSeconds(11));
      identity.tick();

      assertThat(attributes(identity, signed(c -> c))).containsKey("user");
    }
  }
}

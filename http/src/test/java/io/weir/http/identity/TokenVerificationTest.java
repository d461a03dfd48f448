package io.weir.http.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.weir.http.FakeRequestHead;
import io.weir.time.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Date;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cost of token checks is bounded and charged to addresses of invalid tokens. */
class TokenVerificationTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final ECKey EC = ec();
  private static final RSAKey RSA = rsa();
  private static final int BUDGET = 5;
  private static final String ATTACKER = "192.0.2.1";
  private static final String HONEST = "192.0.2.2";

  @TempDir Path folder;
  private final VirtualTime time = new VirtualTime(NOW);
  private final Deque<VerificationQueue.Job> queue = new ArrayDeque<>();
  private Identity identity;

  private static ECKey ec() {
    try {
      return new ECKeyGenerator(Curve.P_521).keyID("e1").generate();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static RSAKey rsa() {
    try {
      return new RSAKeyGenerator(2048).keyID("r1").generate();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void open() throws Exception {
    writeKeys(EC, RSA);
    JwtSettings settings =
        JwtSettings.of(folder.resolve("jwks.json").toUri())
            .from("https://id.example.com", "weir")
            .checks(new JwtSettings.Checks(BUDGET, 1, 10));
    identity = Identity.builder().withoutThreads(time, queue::add).jwt(settings).build();
  }

  private void writeKeys(JWK... keys) throws Exception {
    Files.writeString(folder.resolve("jwks.json"), new JWKSet(List.of(keys)).toString());
  }

  private static JWTClaimsSet.Builder claims(String user) {
    return new JWTClaimsSet.Builder()
        .subject(user)
        .issuer("https://id.example.com")
        .audience("weir")
        .expirationTime(Date.from(NOW.plusSeconds(3600)));
  }

  private static String signed(String user, UnaryOperator<JWTClaimsSet.Builder> change)
      throws Exception {
    JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.ES512).keyID("e1").build();
    SignedJWT jwt = new SignedJWT(header, change.apply(claims(user)).build());
    jwt.sign(new ECDSASigner(EC));
    return jwt.serialize();
  }

  private static String good(String user) throws Exception {
    return signed(user, c -> c);
  }

  /** A token with the key id, claims and shape of a good one, and the signature of another. */
  private static String forged(String user) throws Exception {
    return withoutSignature(good(user)) + signatureOf(good("another"));
  }

  private static String withoutSignature(String token) {
    return token.substring(0, token.lastIndexOf('.') + 1);
  }

  private static String signatureOf(String token) {
    return token.substring(token.lastIndexOf('.') + 1);
  }

  private TokenClaims ask(String address, String token) {
    return identity.claims(FakeRequestHead.from(address).with("authorization", "Bearer " + token));
  }

  /** Checks a token, and runs the signature check if one is pending. */
  private Map<String, String> attributes(String address, String token) {
    TokenClaims claims = ask(address, token);
    runQueue();
    return IdentityCalls.known(claims).attributes();
  }

  private void runQueue() {
    while (!queue.isEmpty()) {
      queue.remove().run();
    }
  }

  private long count(TokenOutcome outcome) {
    return identity.tokenCounts().orElseThrow().count(outcome);
  }

  @Test
  void verifiesATokenOnceAndOffTheCallersThread() throws Exception {
    String token = good("42");
    TokenClaims first = ask(HONEST, token);
    assertThat(first).isInstanceOf(TokenClaims.Pending.class);
    assertThat(((TokenClaims.Pending) first).known().toCompletableFuture()).isNotDone();
    runQueue();
    TokenClaims second = ask(HONEST, token);

    assertThat(IdentityCalls.known(first).attributes()).containsEntry("user", "42");
    assertThat(second).isSameAs(IdentityCalls.known(first));
    assertThat(queue).isEmpty();
    assertThat(count(TokenOutcome.VERIFIED)).isOne();
  }

  @Test
  void checksTheSignatureLast() throws Exception {
    Date past = Date.from(NOW.minusSeconds(60));
    Date future = Date.from(NOW.plusSeconds(60));
    SignedJWT otherAlgorithm =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("e1").build(), claims("42").build());
    otherAlgorithm.sign(new RSASSASigner(RSA));

    for (String cheap :
        new String[] {
          signed("42", c -> c.expirationTime(past)),
          signed("42", c -> c.notBeforeTime(future)),
          signed("42", c -> c.issuer("https://evil.example.com")),
          signed("42", c -> c.audience("another")),
          otherAlgorithm.serialize(),
          "not.a.token"
        }) {
      assertThat(ask(ATTACKER, cheap)).isEqualTo(TokenClaims.NONE);
    }
    assertThat(queue).isEmpty();
    assertThat(count(TokenOutcome.INVALID)).isEqualTo(6);
  }

  @Test
  void remembersAFailedTokenUntilTheKeysChange() throws Exception {
    String token = forged("42");
    assertThat(attributes(ATTACKER, token)).isEmpty();
    assertThat(ask(HONEST, token)).isEqualTo(TokenClaims.NONE);
    assertThat(queue).isEmpty();
    assertThat(count(TokenOutcome.FAILED)).isEqualTo(2);

    writeKeys(EC);
    for (int i = 0; i < 2; i++) {
      time.advance(Duration.ofSeconds(3));
      identity.tick();
    }
    assertThat(ask(HONEST, token)).isInstanceOf(TokenClaims.Pending.class);
  }

  @Test
  void chargesFailuresToTheAddress() throws Exception {
    String known = good("1");
    assertThat(attributes(ATTACKER, known)).containsEntry("user", "1");
    for (int i = 0; i < BUDGET; i++) {
      assertThat(attributes(ATTACKER, forged("x" + i))).isEmpty();
    }
    assertThat(count(TokenOutcome.FAILED)).isEqualTo(BUDGET);

    // The budget is used up: a valid token is not checked either, unless it is cached.
    assertThat(ask(ATTACKER, good("2"))).isEqualTo(TokenClaims.NONE);
    assertThat(ask(ATTACKER, forged("y"))).isEqualTo(TokenClaims.NONE);
    assertThat(ask(ATTACKER, known)).isNotEqualTo(TokenClaims.NONE);
    assertThat(count(TokenOutcome.OVER_BUDGET)).isEqualTo(2);
    assertThat(attributes(HONEST, good("3"))).containsEntry("user", "3");

    time.advance(Duration.ofSeconds(60 / BUDGET));
    assertThat(attributes(ATTACKER, good("2"))).containsEntry("user", "2");
  }

  @Test
  void groupsAddressesOfIpv6ByPrefix() throws Exception {
    for (int i = 0; i < BUDGET; i++) {
      assertThat(attributes("2001:db8::" + i, forged("x" + i))).isEmpty();
    }

    assertThat(ask("2001:db8::ffff", good("1"))).isEqualTo(TokenClaims.NONE);
    assertThat(attributes("2001:db8:0:1::1", good("1"))).containsEntry("user", "1");
  }

  @Test
  void verifiesNoMoreOfABurstThanTheBudgetAllows() throws Exception {
    for (int i = 0; i < 4 * BUDGET; i++) {
      assertThat(ask(ATTACKER, forged("x" + i))).isInstanceOf(TokenClaims.Pending.class);
    }
    runQueue();

    assertThat(count(TokenOutcome.FAILED)).isEqualTo(BUDGET);
    assertThat(count(TokenOutcome.OVER_BUDGET)).isEqualTo(3 * BUDGET);
  }

  @Test
  void acceptsAnyNumberOfValidTokensFromOneAddress() throws Exception {
    for (int i = 0; i < 4 * BUDGET; i++) {
      ask(HONEST, good("u" + i));
    }
    runQueue();

    assertThat(count(TokenOutcome.VERIFIED)).isEqualTo(4 * BUDGET);
  }

  @Test
  void verifiesATokenThatIsQueuedTwiceOnce() throws Exception {
    String token = good("42");
    TokenClaims first = ask(HONEST, token);
    TokenClaims second = ask(HONEST, token);
    runQueue();

    assertThat(IdentityCalls.known(first).attributes()).containsEntry("user", "42");
    assertThat(IdentityCalls.known(second)).isSameAs(IdentityCalls.known(first));
    assertThat(count(TokenOutcome.VERIFIED)).isOne();
  }

  @Test
  void treatsTokensAsAbsentAfterALongWaitOrIfTheQueueIsFull() throws Exception {
    TokenClaims late = ask(HONEST, good("1"));
    time.advance(JwtSettings.Checks.DEFAULT_WAIT.plusMillis(1));
    runQueue();
    TokenClaims refused = ask(HONEST, good("2"));
    queue.remove().refuse();

    assertThat(IdentityCalls.known(late)).isEqualTo(TokenClaims.NONE);
    assertThat(IdentityCalls.known(refused)).isEqualTo(TokenClaims.NONE);
    assertThat(count(TokenOutcome.OVERLOADED)).isEqualTo(2);
    assertThat(attributes(HONEST, good("1"))).containsEntry("user", "1");
  }

  /** Otherwise one valid token could be verified in countless forms, without charge. */
  @Test
  void acceptsOnlyTheCanonicalFormOfASignature() throws Exception {
    String token = good("42");
    String begin = withoutSignature(token);
    String signature = signatureOf(token);
    SignedJWT byRsa =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("r1").build(), claims("42").build());
    byRsa.sign(new RSASSASigner(RSA));
    String spare = byRsa.serialize();
    String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    char last = alphabet.charAt(alphabet.indexOf(spare.charAt(spare.length() - 1)) + 1);

    for (String other :
        new String[] {
          token + "!",
          token + "=",
          begin + "!" + signature,
          begin + signature.substring(0, 9) + "\u00e9" + signature.substring(9),
          spare.substring(0, spare.length() - 1) + last
        }) {
      assertThat(ask(ATTACKER, other)).as(other).isEqualTo(TokenClaims.NONE);
    }
    assertThat(queue).isEmpty();
    assertThat(attributes(HONEST, token)).containsEntry("user", "42");
    assertThat(attributes(HONEST, spare)).containsEntry("user", "42");
  }

  @Test
  void rejectsDeeplyNestedTokens() {
    String nested = "{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000);
    String part =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(nested.getBytes(StandardCharsets.US_ASCII));

    assertThat(ask(ATTACKER, part + ".e30.e30A")).isEqualTo(TokenClaims.NONE);
    assertThat(ask(ATTACKER, "eyJhbGciOiJFUzUxMiIsImtpZCI6ImUxIn0." + part + ".e30A"))
        .isEqualTo(TokenClaims.NONE);
  }
}

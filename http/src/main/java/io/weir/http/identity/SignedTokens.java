package io.weir.http.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyType;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import io.weir.time.TimeSource;
import java.text.ParseException;
import java.util.Date;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A set of keys made ready to verify tokens by: signature, issuer, audience and time.
 *
 * <p>The algorithm must be one that the matching key is for, so that no one signs with a public key
 * as if it were a password, and {@code none} is no algorithm.
 */
final class SignedTokens {
  private static final JOSEObjectType ACCESS_TOKEN = new JOSEObjectType("at+jwt");

  private final JWKSet keys;
  private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

  SignedTokens(JWKSet keys, JwtSettings settings, TimeSource time) {
    this.keys = keys;
    processor.setJWSTypeVerifier(
        new DefaultJOSEObjectTypeVerifier<>(JOSEObjectType.JWT, ACCESS_TOKEN, null));
    processor.setJWSKeySelector(
        new JWSVerificationKeySelector<>(algorithms(keys), new ImmutableJWKSet<>(keys)));
    processor.setJWTClaimsSetVerifier(claims(settings, time));
  }

  private static Set<JWSAlgorithm> algorithms(JWKSet keys) {
    Set<JWSAlgorithm> algorithms = new HashSet<>(JWSAlgorithm.Family.RSA);
    algorithms.addAll(JWSAlgorithm.Family.EC);
    if (keys.getKeys().stream().anyMatch(key -> key.getKeyType().equals(KeyType.OCT))) {
      algorithms.addAll(JWSAlgorithm.Family.HMAC_SHA);
    }
    return algorithms;
  }

  private static DefaultJWTClaimsVerifier<SecurityContext> claims(
      JwtSettings settings, TimeSource time) {
    JWTClaimsSet.Builder exact = new JWTClaimsSet.Builder();
    settings.issuer().ifPresent(exact::issuer);
    DefaultJWTClaimsVerifier<SecurityContext> verifier =
        new DefaultJWTClaimsVerifier<>(
            settings.audience().orElse(null), exact.build(), Set.of("exp")) {
          @Override
          protected Date currentTime() {
            return new Date(time.wallMicros() / 1000);
          }
        };
    verifier.setMaxClockSkew((int) settings.leeway().toSeconds());
    return verifier;
  }

  /** Whether a token names a key that is not in the set, so that the set may be old. */
  boolean lacksKeyOf(String token) {
    try {
      @Nullable String id = SignedJWT.parse(token).getHeader().getKeyID();
      return id != null && keys.getKeyByKeyId(id) == null;
    } catch (ParseException | RuntimeException e) {
      return false;
    }
  }

  /** What a token claims; empty unless all of it can be believed. */
  Optional<JWTClaimsSet> verify(String token) {
    try {
      return Optional.of(processor.process(SignedJWT.parse(token), null));
    } catch (ParseException | BadJOSEException | JOSEException | RuntimeException e) {
      return Optional.empty();
    }
  }
}

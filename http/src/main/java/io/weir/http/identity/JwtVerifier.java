package io.weir.http.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyType;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSKeySelector;
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
 * Verifies tokens with one key set: signature, issuer, audience and time.
 *
 * <p>The algorithm must match the type of the key, so that a public key cannot be abused as an HMAC
 * secret, and {@code none} is rejected.
 *
 * <p>{@link #screen} does the cheap checks first. The expensive signature check is left to {@link
 * #verify}.
 */
final class JwtVerifier {
  private static final JOSEObjectType ACCESS_TOKEN = new JOSEObjectType("at+jwt");

  private final JWKSet keys;
  private final JOSEObjectTypeVerifier<SecurityContext> types =
      new DefaultJOSEObjectTypeVerifier<>(JOSEObjectType.JWT, ACCESS_TOKEN, null);
  private final JWSKeySelector<SecurityContext> selector;
  private final DefaultJWTClaimsVerifier<SecurityContext> claims;
  private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

  JwtVerifier(JWKSet keys, JwtSettings settings, TimeSource time) {
    this.keys = keys;
    this.selector = new JWSVerificationKeySelector<>(algorithms(keys), new ImmutableJWKSet<>(keys));
    this.claims = claims(settings, time);
    processor.setJWSTypeVerifier(types);
    processor.setJWSKeySelector(selector);
    processor.setJWTClaimsSetVerifier(claims);
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

  /** Parses a token; empty if it is malformed. */
  static Optional<SignedJWT> parse(String token) {
    try {
      return isCanonical(token) ? Optional.of(SignedJWT.parse(token)) : Optional.empty();
    } catch (ParseException | RuntimeException | StackOverflowError e) {
      return Optional.empty();
    }
  }

  /**
   * Whether the signature is in the canonical form of base64url. The library ignores characters
   * outside the alphabet and spare bits at the end, so the holder of one valid token could write it
   * in countless forms, each of which would be verified again.
   */
  private static boolean isCanonical(String token) {
    int begin = token.lastIndexOf('.') + 1;
    int last = 0;
    for (int i = begin; i < token.length(); i++) {
      last = sextet(token.charAt(i));
      if (last < 0) {
        return false;
      }
    }
    return switch ((token.length() - begin) % 4) {
      case 0 -> true;
      case 2 -> (last & 15) == 0;
      case 3 -> (last & 3) == 0;
      default -> false;
    };
  }

  /** The six bits of a base64url character; -1 if it is not one. */
  private static int sextet(char c) {
    if (c >= 'A' && c <= 'Z') {
      return c - 'A';
    } else if (c >= 'a' && c <= 'z') {
      return c - 'a' + 26;
    } else if (c >= '0' && c <= '9') {
      return c - '0' + 52;
    }
    return c == '-' ? 62 : c == '_' ? 63 : -1;
  }

  /** Whether a token names a key that is not in the set, so that the set may be outdated. */
  boolean lacksKeyOf(SignedJWT token) {
    @Nullable String id = token.getHeader().getKeyID();
    return id != null && keys.getKeyByKeyId(id) == null;
  }

  /** Whether everything but the signature is valid: type, algorithm, key, and claims. */
  boolean screen(SignedJWT token) {
    try {
      types.verify(token.getHeader().getType(), null);
      claims.verify(token.getJWTClaimsSet(), null);
      return !selector.selectJWSKeys(token.getHeader(), null).isEmpty();
    } catch (ParseException
        | BadJOSEException
        | JOSEException
        | RuntimeException
        | StackOverflowError e) {
      return false;
    }
  }

  /** Claims of a token; empty unless the token is fully valid. */
  Optional<JWTClaimsSet> verify(SignedJWT token) {
    try {
      return Optional.of(processor.process(token, null));
    } catch (BadJOSEException | JOSEException | RuntimeException e) {
      return Optional.empty();
    }
  }
}

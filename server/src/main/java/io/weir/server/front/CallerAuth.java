package io.weir.server.front;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.http.identity.Sha256;
import io.weir.server.config.CallerSettings;
import io.weir.server.http.AccessCheck;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.Route;
import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates callers of the data and gRPC ports: by a token in {@code Authorization: Bearer}, by
 * a token in {@code X-Weir-Token} (where {@code Authorization} belongs to the client whose request
 * is decided), or by a client certificate. Only hashes of tokens are stored. The lookup is by hash,
 * so its timing reveals nothing about a token.
 */
public final class CallerAuth implements AccessCheck {
  static final CharSequence TOKEN_HEADER = HttpHeaders.createOptimized("x-weir-token");

  private static final String BEARER = "bearer ";
  private static final int DNS_NAME = 2;
  private static final int URI_NAME = 6;

  private final CallerSettings settings;

  public CallerAuth(CallerSettings settings) {
    this.settings = settings;
  }

  @Override
  public Optional<HttpProblemException> refusal(HttpServerRequest request, @Nullable Route route) {
    return (route != null && route.open()) || admit(request)
        ? Optional.empty()
        : Optional.of(
            HttpProblemException.unauthorized("a token or a client certificate is required"));
  }

  /** Whether a request is allowed. */
  public boolean admit(HttpServerRequest request) {
    return settings.acceptsAll() || hasToken(request) || hasCertificate(request);
  }

  private boolean hasToken(HttpServerRequest request) {
    if (settings.tokens().isEmpty()) {
      return false;
    }
    return isToken(request.getHeader(TOKEN_HEADER)) || isToken(bearer(request));
  }

  /** The token in {@code Authorization: Bearer}; null if there is none. */
  public static @Nullable String bearer(HttpServerRequest request) {
    String header = request.getHeader(HttpHeaders.AUTHORIZATION);
    return header != null && header.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? header.substring(BEARER.length()).strip()
        : null;
  }

  private boolean isToken(@Nullable String token) {
    return token != null && settings.tokens().contains(Sha256.hex(token));
  }

  private boolean hasCertificate(HttpServerRequest request) {
    SSLSession session = settings.authority().isEmpty() ? null : request.sslSession();
    if (session == null) {
      return false;
    }
    try {
      // The handshake has verified them against the CA.
      Certificate[] chain = session.getPeerCertificates();
      return settings.names().isEmpty() || isNamed(chain[0]);
    } catch (SSLPeerUnverifiedException e) {
      return false;
    }
  }

  private boolean isNamed(Certificate certificate) {
    if (!(certificate instanceof X509Certificate x509)) {
      return false;
    }
    try {
      Collection<List<?>> names = x509.getSubjectAlternativeNames();
      for (List<?> name : names == null ? List.<List<?>>of() : names) {
        boolean text = name.get(0).equals(DNS_NAME) || name.get(0).equals(URI_NAME);
        if (text && settings.names().contains(String.valueOf(name.get(1)))) {
          return true;
        }
      }
      return settings.names().contains(commonName(x509));
    } catch (CertificateParsingException | InvalidNameException e) {
      return false;
    }
  }

  private static String commonName(X509Certificate certificate) throws InvalidNameException {
    String subject = certificate.getSubjectX500Principal().getName();
    for (Rdn part : new LdapName(subject).getRdns()) {
      if (part.getType().equalsIgnoreCase("CN")) {
        return part.getValue().toString();
      }
    }
    return "";
  }
}

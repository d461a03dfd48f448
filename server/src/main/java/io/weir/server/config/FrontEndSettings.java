package io.weir.server.config;

import io.weir.http.HeaderDialect;
import java.util.List;
import java.util.Optional;

/**
 * The settings of the listeners: identity of clients, rate limit headers, callers, TLS, gateway and
 * admin access.
 *
 * @param headers the dialects of rate limit headers; empty for no such headers
 */
public record FrontEndSettings(
    IdentitySettings identity,
    List<HeaderDialect> headers,
    CallerSettings callers,
    Optional<TlsSettings> tls,
    GatewaySettings gateway,
    AdminSettings admin) {
  /** Trusts no proxy, sends all header dialects, accepts every caller, without TLS. */
  public static final FrontEndSettings DEFAULT =
      new FrontEndSettings(
          IdentitySettings.DEFAULT,
          HeaderDialect.ALL,
          CallerSettings.ANYONE,
          Optional.empty(),
          GatewaySettings.NONE,
          AdminSettings.DEFAULT);

  public FrontEndSettings {
    headers = List.copyOf(headers);
  }

  /** A copy with other identity settings. */
  public FrontEndSettings identity(IdentitySettings other) {
    return new FrontEndSettings(other, headers, callers, tls, gateway, admin);
  }

  /** A copy with other headers. */
  public FrontEndSettings headers(List<HeaderDialect> other) {
    return new FrontEndSettings(identity, other, callers, tls, gateway, admin);
  }

  /** A copy with other callers. */
  public FrontEndSettings callers(CallerSettings other) {
    return new FrontEndSettings(identity, headers, other, tls, gateway, admin);
  }

  /** A copy with TLS. */
  public FrontEndSettings tls(TlsSettings files) {
    return new FrontEndSettings(identity, headers, callers, Optional.of(files), gateway, admin);
  }

  /** A copy with a gateway. */
  public FrontEndSettings gateway(GatewaySettings other) {
    return new FrontEndSettings(identity, headers, callers, tls, other, admin);
  }

  /** A copy with other admin access. */
  public FrontEndSettings admin(AdminSettings other) {
    return new FrontEndSettings(identity, headers, callers, tls, gateway, other);
  }
}

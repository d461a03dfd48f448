package io.weir.server.config;

import io.weir.http.HeaderDialect;
import java.util.List;
import java.util.Optional;

/**
 * How the process meets requests: how it finds out who calls, in which headers it answers, who may
 * ask it at all, by which certificate it is known, what it forwards, and who may administer it.
 *
 * @param headers the dialects of rate limit headers; none for no such headers
 */
public record FrontEndSettings(
    IdentitySettings identity,
    List<HeaderDialect> headers,
    CallerSettings callers,
    Optional<TlsSettings> tls,
    GatewaySettings gateway,
    AdminSettings admin) {
  /** Believes nobody, tells everything, answers everybody, in plain text. */
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

  /** The same, finding out who calls in another way. */
  public FrontEndSettings identity(IdentitySettings other) {
    return new FrontEndSettings(other, headers, callers, tls, gateway, admin);
  }

  /** The same with other headers. */
  public FrontEndSettings headers(List<HeaderDialect> other) {
    return new FrontEndSettings(identity, other, callers, tls, gateway, admin);
  }

  /** The same, asked by others. */
  public FrontEndSettings callers(CallerSettings other) {
    return new FrontEndSettings(identity, headers, other, tls, gateway, admin);
  }

  /** The same, with certificates. */
  public FrontEndSettings tls(TlsSettings files) {
    return new FrontEndSettings(identity, headers, callers, Optional.of(files), gateway, admin);
  }

  /** The same with a gateway. */
  public FrontEndSettings gateway(GatewaySettings other) {
    return new FrontEndSettings(identity, headers, callers, tls, other, admin);
  }

  /** The same, administered by others. */
  public FrontEndSettings admin(AdminSettings other) {
    return new FrontEndSettings(identity, headers, callers, tls, gateway, other);
  }
}

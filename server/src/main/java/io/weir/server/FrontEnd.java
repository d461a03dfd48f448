package io.weir.server;

import io.weir.http.Dialect;
import java.util.List;
import java.util.Optional;

/**
 * How the process meets requests: how it finds out who calls, in which headers it answers, who may
 * ask it at all, by which certificate it is known, what it forwards, and who may administer it.
 *
 * @param headers the dialects of rate limit headers; none for no such headers
 */
public record FrontEnd(
    IdentitySettings identity,
    List<Dialect> headers,
    CallerSettings callers,
    Optional<TlsSettings> tls,
    GatewaySettings gateway,
    AdminSettings admin) {
  /** Believes nobody, tells everything, answers everybody, in plain text. */
  public static final FrontEnd DEFAULT =
      new FrontEnd(
          IdentitySettings.DEFAULT,
          Dialect.ALL,
          CallerSettings.ANYONE,
          Optional.empty(),
          GatewaySettings.NONE,
          AdminSettings.DEFAULT);

  public FrontEnd {
    headers = List.copyOf(headers);
  }

  /** The same, finding out who calls in another way. */
  public FrontEnd identity(IdentitySettings other) {
    return new FrontEnd(other, headers, callers, tls, gateway, admin);
  }

  /** The same with other headers. */
  public FrontEnd headers(List<Dialect> other) {
    return new FrontEnd(identity, other, callers, tls, gateway, admin);
  }

  /** The same, asked by others. */
  public FrontEnd callers(CallerSettings other) {
    return new FrontEnd(identity, headers, other, tls, gateway, admin);
  }

  /** The same, with certificates. */
  public FrontEnd tls(TlsSettings files) {
    return new FrontEnd(identity, headers, callers, Optional.of(files), gateway, admin);
  }

  /** The same with a gateway. */
  public FrontEnd gateway(GatewaySettings other) {
    return new FrontEnd(identity, headers, callers, tls, other, admin);
  }

  /** The same, administered by others. */
  public FrontEnd admin(AdminSettings other) {
    return new FrontEnd(identity, headers, callers, tls, gateway, other);
  }
}

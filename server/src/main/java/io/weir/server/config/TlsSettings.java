package io.weir.server.config;

import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The server certificate, in PEM files that are reloaded when they change.
 *
 * @param certificate the certificate chain
 * @param listeners the names of the ports that use TLS
 */
public record TlsSettings(Path certificate, Path key, Set<String> listeners) {
  /** All ports. */
  public static final Set<String> ALL = Set.of("http", "grpc", "admin", "gateway");

  private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

  /** Suites with forward secrecy and authenticated encryption, as BCP 195 (RFC 9325) recommends. */
  private static final List<String> SUITES =
      List.of(
          "TLS_AES_256_GCM_SHA384",
          "TLS_AES_128_GCM_SHA256",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

  public TlsSettings {
    listeners = Set.copyOf(listeners);
    listeners.forEach(TlsSettings::listener);
  }

  /**
   * The name of a port.
   *
   * @throws IllegalArgumentException if there is none of that name
   */
  static String listener(String name) {
    if (!ALL.contains(name)) {
      throw new IllegalArgumentException("'" + name + "' is not one of http, grpc, admin, gateway");
    }
    return name;
  }

  /** The TLS settings of one port. */
  public record ListenerTls(TlsSettings files, Optional<Path> authority) {
    /** Adds TLS to the options of a new server. */
    public HttpServerOptions addTo(HttpServerOptions options) {
      options.setSsl(true).setUseAlpn(true).setKeyCertOptions(files.pem());
      options.setEnabledSecureTransportProtocols(PROTOCOLS);
      SUITES.forEach(options::addEnabledCipherSuite);
      authority.ifPresent(
          file -> {
            // Requested, not required: a token is enough too, and health checks need neither.
            options.setClientAuth(ClientAuth.REQUEST);
            options.setTrustOptions(new PemTrustOptions().addCertPath(file.toString()));
          });
      return options;
    }

    /** The options for a running server, with the files read again. */
    public ServerSSLOptions reloaded() {
      return addTo(new HttpServerOptions()).getSslOptions();
    }
  }

  /** The TLS settings of a port, if it uses TLS. */
  public Optional<ListenerTls> of(String listener, Optional<Path> authority) {
    return listeners.contains(listener)
        ? Optional.of(new ListenerTls(this, authority))
        : Optional.empty();
  }

  private PemKeyCertOptions pem() {
    return new PemKeyCertOptions().addCertPath(certificate.toString()).addKeyPath(key.toString());
  }

  /**
   * Modification times, which change when a file does; reads the disk.
   *
   * @param authority the CA of client certificates, if they are requested
   */
  public List<FileTime> stamp(Optional<Path> authority) throws IOException {
    List<FileTime> times = new ArrayList<>();
    times.add(Files.getLastModifiedTime(certificate));
    times.add(Files.getLastModifiedTime(key));
    if (authority.isPresent()) {
      times.add(Files.getLastModifiedTime(authority.get()));
    }
    return times;
  }
}

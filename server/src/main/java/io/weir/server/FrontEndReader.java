package io.weir.server;

import io.weir.http.Dialect;
import io.weir.http.identity.Cidr;
import io.weir.http.identity.ClientAddress;
import io.weir.http.identity.JwtSettings;
import io.weir.http.identity.Sha256;
import io.weir.limit.Periods;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reads {@code identity}, {@code headers}, {@code callers}, {@code tls}, {@code gateway} and {@code
 * admin}.
 */
final class FrontEndReader {
  /** What says nothing without {@code identity.jwt.jwks}. */
  private static final List<String> JWT_SETTINGS =
      List.of("issuer", "audience", "claims", "leeway", "refresh", "failures", "threads", "queue");

  private final ConfigReader config;

  FrontEndReader(ConfigReader config) {
    this.config = config;
  }

  FrontEnd read() {
    FrontEnd front =
        new FrontEnd(
            new IdentitySettings(address(), apiKey(), jwt()),
            config.list("headers", Dialect.ALL, Dialect::named),
            callers(),
            tls(),
            gateway(),
            admin());
    checkCertificatesAreSeen(front);
    return front;
  }

  /** Who is told to bring a certificate must be able to show it wherever decisions are taken. */
  private void checkCertificatesAreSeen(FrontEnd front) {
    Set<String> secured = front.tls().map(TlsSettings::listeners).orElse(Set.of());
    List<String> missing =
        Stream.of("http", "grpc").filter(listener -> !secured.contains(listener)).toList();
    if (front.callers().authority().isPresent() && !missing.isEmpty()) {
      config.complain(
          "callers.mtls.ca",
          "client certificates need tls on the listener " + String.join(" and ", missing));
    }
  }

  private ClientAddress address() {
    ClientAddress otherwise = ClientAddress.OF_CONNECTION;
    List<Cidr> trusted =
        config.list("identity.client_ip.trusted", otherwise.trusted(), Cidr::parse);
    String header =
        config.get("identity.client_ip.header", otherwise.header(), FrontEndReader::headerName);
    int hops = number("identity.client_ip.hops", otherwise.hops(), 0, 100);
    int prefix = number("identity.client_ip.ipv6_prefix", otherwise.ipv6Prefix(), 1, 128);
    if (config.has("identity.client_ip.header") && trusted.isEmpty() && hops == 0) {
      config.complain(
          "identity.client_ip.header", "is believed by nobody; say trusted or hops as well");
    }
    return new ClientAddress(header, trusted, hops, prefix);
  }

  private static String headerName(ConfigReader.Value value) {
    String name = value.text().toLowerCase(Locale.ROOT);
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_') {
        throw new IllegalArgumentException("'" + value.text() + "' is not the name of a header");
      }
    }
    return name;
  }

  private int number(String name, int otherwise, int least, int most) {
    return config.get(
        name,
        otherwise,
        value -> {
          long number = ConfigReader.count(value, least);
          if (number > most) {
            throw new IllegalArgumentException(number + " is more than " + most);
          }
          return (int) number;
        });
  }

  private Optional<IdentitySettings.ApiKey> apiKey() {
    String header = config.get("identity.api_key.header", "", FrontEndReader::headerName);
    Optional<Path> known =
        config.get(
            "identity.api_key.known",
            Optional.empty(),
            value ->
                value.text().equals("any")
                    ? Optional.empty()
                    : Optional.of(ConfigReader.path(value)));
    if (header.isEmpty()) {
      if (config.has("identity.api_key.known")) {
        config.complain("identity.api_key.known", "say the header too");
      }
      return Optional.empty();
    }
    if (!config.has("identity.api_key.known")) {
      config.complain("identity.api_key.header", "say which keys are known: a file, or any");
    }
    return Optional.of(new IdentitySettings.ApiKey(header, known));
  }

  private Optional<JwtSettings> jwt() {
    if (!config.has("identity.jwt.jwks")) {
      for (String other : JWT_SETTINGS) {
        if (config.has("identity.jwt." + other)) {
          config.complain("identity.jwt." + other, "says nothing without identity.jwt.jwks");
        }
      }
      return Optional.empty();
    }
    URI jwks = config.get("identity.jwt.jwks", URI.create("file:/"), FrontEndReader::place);
    return config.get(
        "identity.jwt.jwks",
        Optional.empty(),
        value ->
            Optional.of(
                new JwtSettings(
                    jwks,
                    text("identity.jwt.issuer"),
                    text("identity.jwt.audience"),
                    claims(),
                    leeway(),
                    time("identity.jwt.refresh", JwtSettings.DEFAULT_REFRESH),
                    checks())));
  }

  private JwtSettings.Checks checks() {
    JwtSettings.Checks otherwise = JwtSettings.Checks.DEFAULT;
    return new JwtSettings.Checks(
        number("identity.jwt.failures", otherwise.failures(), 1, 1_000_000),
        number("identity.jwt.threads", otherwise.threads(), 1, 64),
        number("identity.jwt.queue", otherwise.queue(), 1, 100_000));
  }

  private Duration leeway() {
    return config.get(
        "identity.jwt.leeway",
        JwtSettings.DEFAULT_LEEWAY,
        value -> JwtSettings.checkLeeway(time(value)));
  }

  /** A file, relative to the one that names it, or a URL. */
  private static URI place(ConfigReader.Value value) {
    if (!value.text().contains("://")) {
      return ConfigReader.path(value).toAbsolutePath().toUri();
    }
    URI uri = URI.create(value.text());
    if (!Set.of("https", "http", "file").contains(uri.getScheme())) {
      throw new IllegalArgumentException("'" + value.text() + "' is neither a file nor https://…");
    }
    return uri;
  }

  private Optional<String> text(String name) {
    return config.get(name, Optional.empty(), value -> Optional.of(value.text()));
  }

  private Map<String, String> claims() {
    Map<String, String> claims = new HashMap<>();
    List<String> entries = config.list("identity.jwt.claims", List.of("user=sub"), entry -> entry);
    for (String entry : entries) {
      int equals = entry.indexOf('=');
      if (equals < 1 || equals == entry.length() - 1) {
        config.complain("identity.jwt.claims", "'" + entry + "' is not such as user: sub");
      } else {
        claims.put(entry.substring(0, equals), entry.substring(equals + 1));
      }
    }
    return claims;
  }

  private CallerSettings callers() {
    Set<String> tokens =
        new HashSet<>(config.list("callers.tokens", List.of(), FrontEndReader::hash));
    Optional<Path> authority =
        config.get(
            "callers.mtls.ca", Optional.empty(), value -> Optional.of(ConfigReader.path(value)));
    Set<String> names = new HashSet<>(config.list("callers.mtls.names", List.of(), name -> name));
    if (authority.isEmpty() && !names.isEmpty()) {
      config.complain("callers.mtls.names", "says nothing without callers.mtls.ca");
    }
    boolean listsNone =
        config.has("callers.tokens")
            && config.list("callers.tokens", List.of(), token -> token).isEmpty();
    if (listsNone && authority.isEmpty()) {
      config.complain(
          "callers.tokens", "holds none, so that anybody would be answered; leave it out for that");
    }
    return new CallerSettings(tokens, authority, names);
  }

  private static String hash(String text) {
    if (!Sha256.isHex(text)) {
      throw new IllegalArgumentException(
          "tokens are written as their SHA-256, 64 hex digits: printf %s TOKEN | sha256sum");
    }
    return text.toLowerCase(Locale.ROOT);
  }

  private AdminSettings admin() {
    List<AdminSettings.Token> tokens =
        config.list("admin.tokens", List.of(), AdminSettings.Token::parse);
    boolean metricsNeedToken =
        config.get(
            "admin.metrics",
            false,
            value ->
                switch (value.text()) {
                  case "open" -> false;
                  case "token" -> true;
                  default -> throw new IllegalArgumentException("is either open or token");
                });
    return new AdminSettings(tokens, metricsNeedToken);
  }

  private Optional<TlsSettings> tls() {
    Optional<Path> certificate =
        config.get("tls.cert", Optional.empty(), value -> Optional.of(ConfigReader.path(value)));
    Optional<Path> key =
        config.get("tls.key", Optional.empty(), value -> Optional.of(ConfigReader.path(value)));
    if (certificate.isEmpty() && key.isEmpty()) {
      return Optional.empty();
    }
    if (certificate.isEmpty() || key.isEmpty()) {
      config.complain(
          certificate.isEmpty() ? "tls.key" : "tls.cert", "needs both tls.cert and tls.key");
      return Optional.empty();
    }
    Set<String> listeners =
        new HashSet<>(
            config.list("tls.listeners", List.copyOf(TlsSettings.ALL), TlsSettings::listener));
    return Optional.of(new TlsSettings(certificate.get(), key.get(), listeners));
  }

  private GatewaySettings gateway() {
    GatewaySettings otherwise = GatewaySettings.NONE;
    return new GatewaySettings(
        config.get("listen.gateway", otherwise.address(), value -> Address.parse(value.text())),
        upstreams(),
        patience("gateway.timeout", otherwise.timeout()),
        patience("gateway.connect_timeout", otherwise.connectTimeout()),
        config.get("gateway.max_body", otherwise.maxBody(), value -> ConfigReader.count(value, 0)),
        number("gateway.connections", otherwise.connections(), 1, 1_000_000),
        otherwise.waiting(),
        time("gateway.drain", otherwise.drain()),
        takesDecisions());
  }

  /** Whether decisions are asked for beside a gateway. */
  private boolean takesDecisions() {
    return config.isNamed("listen.http")
        || config.isNamed("listen.grpc")
        || config.has("rules.envoy");
  }

  private List<GatewaySettings.Upstream> upstreams() {
    List<GatewaySettings.Upstream> upstreams = new ArrayList<>();
    config.get(
        "gateway.upstream",
        "",
        value -> {
          upstreams.add(GatewaySettings.Upstream.of("/", value.text()));
          return value.text();
        });
    upstreams.addAll(config.list("gateway.upstreams", List.of(), FrontEndReader::upstream));
    long different = upstreams.stream().map(GatewaySettings.Upstream::prefix).distinct().count();
    if (different < upstreams.size()) {
      config.complain("gateway.upstreams", "a prefix is there twice");
    }
    return upstreams;
  }

  /** Reads {@code /prefix=http://host:port}. */
  private static GatewaySettings.Upstream upstream(String entry) {
    int equals = Math.max(0, entry.indexOf('='));
    return GatewaySettings.Upstream.of(entry.substring(0, equals), entry.substring(equals + 1));
  }

  private Duration time(String name, Duration otherwise) {
    return config.get(name, otherwise, FrontEndReader::time);
  }

  /** How long something is waited for; nobody answers in no time at all. */
  private Duration patience(String name, Duration otherwise) {
    return config.get(
        name,
        otherwise,
        value -> {
          Duration time = time(value);
          if (time.isZero()) {
            throw new IllegalArgumentException("leaves no time for an answer");
          }
          return time;
        });
  }

  private static Duration time(ConfigReader.Value value) {
    Duration time = Periods.parse(value.text());
    if (time.compareTo(Duration.ofHours(24)) > 0) {
      throw new IllegalArgumentException("more than a day");
    }
    return time;
  }
}

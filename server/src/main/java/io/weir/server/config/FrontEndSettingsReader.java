package io.weir.server.config;

import io.weir.http.HeaderDialect;
import io.weir.http.identity.Cidr;
import io.weir.http.identity.ClientAddress;
import io.weir.http.identity.JwtSettings;
import io.weir.http.identity.Sha256;
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
final class FrontEndSettingsReader {
  private final ConfigReader config;

  FrontEndSettingsReader(ConfigReader config) {
    this.config = config;
  }

  FrontEndSettings read() {
    FrontEndSettings settings =
        new FrontEndSettings(
            new IdentitySettings(address(), apiKey(), jwt()),
            config.list(Setting.HEADERS, HeaderDialect.ALL, HeaderDialect::named),
            callers(),
            tls(),
            gateway(),
            admin());
    checkClientCertificates(settings);
    return settings;
  }

  /** Client certificates require TLS on all ports that serve decisions. */
  private void checkClientCertificates(FrontEndSettings settings) {
    Set<String> secured = settings.tls().map(TlsSettings::listeners).orElse(Set.of());
    List<String> missing =
        Stream.of("http", "grpc").filter(listener -> !secured.contains(listener)).toList();
    if (settings.callers().authority().isPresent() && !missing.isEmpty()) {
      config.addProblem(
          Setting.CALLERS_MTLS_CA,
          "client certificates need tls on the listener " + String.join(" and ", missing));
    }
  }

  private ClientAddress address() {
    ClientAddress defaults = ClientAddress.OF_CONNECTION;
    List<Cidr> trusted =
        config.list(Setting.IDENTITY_CLIENT_IP_TRUSTED, defaults.trusted(), Cidr::parse);
    String header =
        config.get(
            Setting.IDENTITY_CLIENT_IP_HEADER, defaults.header(), SettingValue::lowerCaseHeader);
    int hops = number(Setting.IDENTITY_CLIENT_IP_HOPS, defaults.hops(), 0, 100);
    int prefix = number(Setting.IDENTITY_CLIENT_IP_IPV6_PREFIX, defaults.ipv6Prefix(), 1, 128);
    if (config.has(Setting.IDENTITY_CLIENT_IP_HEADER) && trusted.isEmpty() && hops == 0) {
      config.addProblem(
          Setting.IDENTITY_CLIENT_IP_HEADER, "has no effect; set trusted or hops as well");
    }
    return new ClientAddress(header, trusted, hops, prefix);
  }

  private int number(Setting setting, int defaults, int least, int most) {
    return config.get(setting, defaults, value -> value.number(least, most));
  }

  private Optional<Path> path(Setting setting) {
    return config.get(setting, Optional.empty(), value -> Optional.of(value.path()));
  }

  private Optional<IdentitySettings.ApiKey> apiKey() {
    String header = config.get(Setting.IDENTITY_API_KEY_HEADER, "", SettingValue::lowerCaseHeader);
    Optional<Path> known =
        config.get(
            Setting.IDENTITY_API_KEY_KNOWN,
            Optional.empty(),
            value -> value.text().equals("any") ? Optional.empty() : Optional.of(value.path()));
    if (header.isEmpty()) {
      if (config.has(Setting.IDENTITY_API_KEY_KNOWN)) {
        config.addProblem(Setting.IDENTITY_API_KEY_KNOWN, "set the header too");
      }
      return Optional.empty();
    }
    if (!config.has(Setting.IDENTITY_API_KEY_KNOWN)) {
      config.addProblem(
          Setting.IDENTITY_API_KEY_HEADER, "set identity.api_key.known: a file, or any");
    }
    return Optional.of(new IdentitySettings.ApiKey(header, known));
  }

  private Optional<JwtSettings> jwt() {
    if (!config.has(Setting.IDENTITY_JWT_JWKS)) {
      for (Setting other : Setting.inside("identity.jwt")) {
        if (config.has(other)) {
          config.addProblem(other, "has no effect without identity.jwt.jwks");
        }
      }
      return Optional.empty();
    }
    URI jwks =
        config.get(
            Setting.IDENTITY_JWT_JWKS, URI.create("file:/"), FrontEndSettingsReader::location);
    return config.get(
        Setting.IDENTITY_JWT_JWKS,
        Optional.empty(),
        value ->
            Optional.of(
                new JwtSettings(
                    jwks,
                    text(Setting.IDENTITY_JWT_ISSUER),
                    text(Setting.IDENTITY_JWT_AUDIENCE),
                    claims(),
                    leeway(),
                    config.get(
                        Setting.IDENTITY_JWT_REFRESH,
                        JwtSettings.DEFAULT_REFRESH,
                        SettingValue::time),
                    checks())));
  }

  private JwtSettings.Checks checks() {
    JwtSettings.Checks defaults = JwtSettings.Checks.DEFAULT;
    return new JwtSettings.Checks(
        number(Setting.IDENTITY_JWT_FAILURES, defaults.failures(), 1, 1_000_000),
        number(Setting.IDENTITY_JWT_THREADS, defaults.threads(), 1, 64),
        number(Setting.IDENTITY_JWT_QUEUE, defaults.queue(), 1, 100_000));
  }

  private Duration leeway() {
    return config.get(
        Setting.IDENTITY_JWT_LEEWAY,
        JwtSettings.DEFAULT_LEEWAY,
        value -> JwtSettings.checkLeeway(value.time()));
  }

  /** A file, relative to the configuration file, or a URL. */
  private static URI location(SettingValue value) {
    if (!value.text().contains("://")) {
      return value.path().toAbsolutePath().toUri();
    }
    URI uri = URI.create(value.text());
    if (!Set.of("https", "http", "file").contains(uri.getScheme())) {
      throw new IllegalArgumentException("'" + value.text() + "' is neither a file nor https://…");
    }
    return uri;
  }

  private Optional<String> text(Setting setting) {
    return config.get(setting, Optional.empty(), value -> Optional.of(value.text()));
  }

  private Map<String, String> claims() {
    Map<String, String> claims = new HashMap<>();
    List<String> entries =
        config.list(Setting.IDENTITY_JWT_CLAIMS, List.of("user=sub"), entry -> entry);
    for (String entry : entries) {
      int equals = entry.indexOf('=');
      if (equals < 1 || equals == entry.length() - 1) {
        config.addProblem(
            Setting.IDENTITY_JWT_CLAIMS, "'" + entry + "' is not a claim such as user: sub");
      } else {
        claims.put(entry.substring(0, equals), entry.substring(equals + 1));
      }
    }
    return claims;
  }

  private CallerSettings callers() {
    Set<String> tokens =
        new HashSet<>(config.list(Setting.CALLERS_TOKENS, List.of(), FrontEndSettingsReader::hash));
    Optional<Path> authority = path(Setting.CALLERS_MTLS_CA);
    Set<String> names =
        new HashSet<>(config.list(Setting.CALLERS_MTLS_NAMES, List.of(), name -> name));
    if (authority.isEmpty() && !names.isEmpty()) {
      config.addProblem(Setting.CALLERS_MTLS_NAMES, "has no effect without callers.mtls.ca");
    }
    boolean emptyTokens =
        config.has(Setting.CALLERS_TOKENS)
            && config.list(Setting.CALLERS_TOKENS, List.of(), token -> token).isEmpty();
    if (emptyTokens && authority.isEmpty()) {
      config.addProblem(
          Setting.CALLERS_TOKENS,
          "is empty, so every caller would be accepted; to allow that, leave it out");
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
        config.list(Setting.ADMIN_TOKENS, List.of(), AdminSettings.Token::parse);
    boolean metricsNeedToken =
        config.get(
            Setting.ADMIN_METRICS,
            false,
            value ->
                switch (value.text()) {
                  case "open" -> false;
                  case "token" -> true;
                  default -> throw new IllegalArgumentException("must be 'open' or 'token'");
                });
    return new AdminSettings(tokens, metricsNeedToken);
  }

  private Optional<TlsSettings> tls() {
    Optional<Path> certificate = path(Setting.TLS_CERT);
    Optional<Path> key = path(Setting.TLS_KEY);
    if (certificate.isEmpty() && key.isEmpty()) {
      return Optional.empty();
    }
    if (certificate.isEmpty() || key.isEmpty()) {
      config.addProblem(
          certificate.isEmpty() ? Setting.TLS_KEY : Setting.TLS_CERT,
          "needs both tls.cert and tls.key");
      return Optional.empty();
    }
    Set<String> listeners =
        new HashSet<>(
            config.list(
                Setting.TLS_LISTENERS, List.copyOf(TlsSettings.ALL), TlsSettings::listener));
    return Optional.of(new TlsSettings(certificate.get(), key.get(), listeners));
  }

  private GatewaySettings gateway() {
    GatewaySettings defaults = GatewaySettings.NONE;
    return new GatewaySettings(
        config.get(Setting.LISTEN_GATEWAY, defaults.address(), SettingValue::address),
        upstreams(),
        config.get(Setting.GATEWAY_TIMEOUT, defaults.timeout(), SettingValue::timeout),
        config.get(
            Setting.GATEWAY_CONNECT_TIMEOUT, defaults.connectTimeout(), SettingValue::timeout),
        config.get(Setting.GATEWAY_MAX_BODY, defaults.maxBody(), value -> value.count(0)),
        number(Setting.GATEWAY_CONNECTIONS, defaults.connections(), 1, 1_000_000),
        defaults.waiting(),
        config.get(Setting.GATEWAY_DRAIN, defaults.drain(), SettingValue::time),
        servesDecisions());
  }

  /** Whether the data and gRPC ports are opened beside a gateway. */
  private boolean servesDecisions() {
    return config.isExplicit(Setting.LISTEN_HTTP)
        || config.isExplicit(Setting.LISTEN_GRPC)
        || config.has(Setting.RULES_ENVOY);
  }

  private List<GatewaySettings.Upstream> upstreams() {
    List<GatewaySettings.Upstream> upstreams = new ArrayList<>();
    config.get(
        Setting.GATEWAY_UPSTREAM,
        "",
        value -> {
          upstreams.add(GatewaySettings.Upstream.of("/", value.text()));
          return value.text();
        });
    upstreams.addAll(
        config.list(Setting.GATEWAY_UPSTREAMS, List.of(), FrontEndSettingsReader::upstream));
    long different = upstreams.stream().map(GatewaySettings.Upstream::prefix).distinct().count();
    if (different < upstreams.size()) {
      config.addProblem(Setting.GATEWAY_UPSTREAMS, "a prefix is duplicated");
    }
    return upstreams;
  }

  /** Reads {@code /prefix=http://host:port}. */
  private static GatewaySettings.Upstream upstream(String entry) {
    int equals = Math.max(0, entry.indexOf('='));
    return GatewaySettings.Upstream.of(entry.substring(0, equals), entry.substring(equals + 1));
  }
}

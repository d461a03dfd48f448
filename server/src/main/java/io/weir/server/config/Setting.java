package io.weir.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Every setting of a server: its name in {@code weir.yaml}, from which its variable follows ({@code
 * guard.rate} is {@code WEIR_GUARD_RATE}), and its form. All readers of settings refer to this
 * table; defaults are in the records that the readers fill.
 */
enum Setting {
  LISTEN_HTTP("listen.http"),
  LISTEN_ADMIN("listen.admin"),
  LISTEN_GRPC("listen.grpc"),
  STORE("store"),
  STORE_MEMORY("store.memory"),
  STORE_MEMORY_MAX_KEYS("store.memory.max_keys"),
  STORE_MEMORY_MAX_BYTES("store.memory.max_bytes"),
  STORE_MEMORY_NEW_KEYS_PER_ADDRESS("store.memory.new_keys_per_address"),
  STORE_REDIS_URI("store.redis.uri"),
  STORE_REDIS_TIMEOUT("store.redis.timeout"),
  STORE_REDIS_CLOCK("store.redis.clock"),
  STORE_REDIS_USER("store.redis.user"),
  STORE_REDIS_PASSWORD("store.redis.password", Trait.SECRET),
  STORE_REDIS_TLS_CA("store.redis.tls.ca"),
  STORE_REDIS_TLS_CERT("store.redis.tls.cert"),
  STORE_REDIS_TLS_KEY("store.redis.tls.key"),
  STORE_REDIS_TAG_SECRET("store.redis.tag_secret", Trait.SECRET),
  STORE_REDIS_NEW_KEYS_PER_ADDRESS("store.redis.new_keys_per_address"),
  STORE_HOT_URI("store.hot.uri"),
  STORE_HOT_USER("store.hot.user"),
  STORE_HOT_PASSWORD("store.hot.password", Trait.SECRET),
  STORE_HOT_RULES("store.hot.rules", Trait.LIST),
  FLEET_MIN_INSTANCES("fleet.min_instances"),
  GUARD_RATE("guard.rate"),
  GUARD_IN_FLIGHT("guard.in_flight"),
  RULES_FILE("rules.file"),
  RULES_DATABASE("rules.database"),
  RULES_ENVOY("rules.envoy"),
  ENVOY_SHADOW_MODE("envoy.shadow_mode"),
  ENVOY_QUOTA_MODE("envoy.quota_mode"),
  ENVOY_NEAR_LIMIT_RATIO("envoy.near_limit_ratio"),
  ENVOY_KEY_PREFIX("envoy.key_prefix"),
  ENVOY_MERGE_DOMAINS("envoy.merge_domains"),
  ENVOY_DOT_FILES("envoy.dot_files"),
  ENVOY_HEADERS_ENABLED("envoy.headers.enabled"),
  ENVOY_HEADERS_LIMIT("envoy.headers.limit"),
  ENVOY_HEADERS_REMAINING("envoy.headers.remaining"),
  ENVOY_HEADERS_RESET("envoy.headers.reset"),
  RESERVATIONS_SECRET("reservations.secret", Trait.SECRET),
  STATE_DIR("state.dir"),
  CONTROL_DATABASE("control.database", Trait.SECRET),
  CONTROL_SIGNING_KEY_FILE("control.signing_key_file"),
  CONTROL_RECORDING("control.recording"),
  IDENTITY_CLIENT_IP_HEADER("identity.client_ip.header"),
  IDENTITY_CLIENT_IP_TRUSTED("identity.client_ip.trusted", Trait.LIST),
  IDENTITY_CLIENT_IP_HOPS("identity.client_ip.hops"),
  IDENTITY_CLIENT_IP_IPV6_PREFIX("identity.client_ip.ipv6_prefix"),
  IDENTITY_API_KEY_HEADER("identity.api_key.header"),
  IDENTITY_API_KEY_KNOWN("identity.api_key.known"),
  IDENTITY_JWT_JWKS("identity.jwt.jwks"),
  IDENTITY_JWT_ISSUER("identity.jwt.issuer"),
  IDENTITY_JWT_AUDIENCE("identity.jwt.audience"),
  IDENTITY_JWT_CLAIMS("identity.jwt.claims", Trait.MAP),
  IDENTITY_JWT_LEEWAY("identity.jwt.leeway"),
  IDENTITY_JWT_REFRESH("identity.jwt.refresh"),
  IDENTITY_JWT_FAILURES("identity.jwt.failures"),
  IDENTITY_JWT_THREADS("identity.jwt.threads"),
  IDENTITY_JWT_QUEUE("identity.jwt.queue"),
  HEADERS("headers", Trait.LIST),
  CALLERS_TOKENS("callers.tokens", Trait.LIST, Trait.SECRET),
  CALLERS_MTLS_CA("callers.mtls.ca"),
  CALLERS_MTLS_NAMES("callers.mtls.names", Trait.LIST),
  TLS_CERT("tls.cert"),
  TLS_KEY("tls.key"),
  TLS_LISTENERS("tls.listeners", Trait.LIST),
  LISTEN_GATEWAY("listen.gateway"),
  GATEWAY_UPSTREAM("gateway.upstream"),
  GATEWAY_UPSTREAMS("gateway.upstreams", Trait.MAP),
  GATEWAY_TIMEOUT("gateway.timeout"),
  GATEWAY_CONNECT_TIMEOUT("gateway.connect_timeout"),
  GATEWAY_MAX_BODY("gateway.max_body"),
  GATEWAY_CONNECTIONS("gateway.connections"),
  GATEWAY_DRAIN("gateway.drain"),
  ADMIN_TOKENS("admin.tokens", Trait.LIST, Trait.SECRET),
  ADMIN_METRICS("admin.metrics");

  /** The prefix of each variable. */
  static final String PREFIX = "WEIR_";

  /** Settings that other versions have; ignoring them would be unsafe. */
  private static final List<String> LATER = List.of("rules.postgres", "events", "cell");

  private static final String FILE = "_file";

  private enum Trait {
    /** A list; in a variable, its items are separated by commas. */
    LIST,

    /** A map; in a variable its entries are such as {@code user=sub,tenant=org.id}. */
    MAP,

    /** Can be in a separate file instead, named by the same setting with {@code _file}. */
    SECRET
  }

  private final String path;
  private final Set<Trait> traits;

  Setting(String path, Trait... traits) {
    this.path = path;
    this.traits = EnumSet.noneOf(Trait.class);
    this.traits.addAll(List.of(traits));
  }

  /** The name in {@code weir.yaml}. */
  String path() {
    return path;
  }

  /** The name in the environment. */
  String variable() {
    return variable(path);
  }

  /** The variable that names a file with this setting. */
  String fileVariable() {
    return variable(path + FILE);
  }

  private static String variable(String path) {
    return PREFIX + path.replace('.', '_').toUpperCase(Locale.ROOT);
  }

  boolean isList() {
    return traits.contains(Trait.LIST);
  }

  boolean isMap() {
    return traits.contains(Trait.MAP);
  }

  boolean isSecret() {
    return traits.contains(Trait.SECRET);
  }

  /** The setting with this path. */
  static Optional<Setting> at(String path) {
    return Arrays.stream(values()).filter(setting -> setting.path.equals(path)).findFirst();
  }

  /** The secret whose file is named at this path. */
  static Optional<Setting> secretWithFileAt(String path) {
    return Arrays.stream(values())
        .filter(setting -> setting.isSecret() && path.equals(setting.path + FILE))
        .findFirst();
  }

  /** The list or map that has an item or entry at this path. */
  static Optional<Setting> withPartAt(String path) {
    return Arrays.stream(values())
        .filter(
            setting ->
                (setting.isList() && path.startsWith(setting.path + "["))
                    || (setting.isMap() && path.startsWith(setting.path + ".")))
        .findFirst();
  }

  /** The settings of a section such as {@code store.redis}, in the order of this table. */
  static List<Setting> inside(String section) {
    return Arrays.stream(values())
        .filter(setting -> setting.path.startsWith(section + "."))
        .toList();
  }

  static List<String> paths() {
    return Arrays.stream(values()).map(Setting::path).toList();
  }

  /** Whether a path is a setting of other versions, or inside one. */
  static boolean isLater(String path) {
    return LATER.stream()
        .anyMatch(l -> path.equals(l) || path.startsWith(l + ".") || path.startsWith(l + "["));
  }

  /** As {@link #isLater}, for a variable. */
  static boolean isLaterVariable(String name) {
    return LATER.stream()
        .map(Setting::variable)
        .anyMatch(l -> name.equals(l) || name.startsWith(l + "_"));
  }

  /** Reads a file with a secret; for a list, one per line with comments after {@code #}. */
  String contents(Path file) throws IOException {
    String text = Files.readString(file).strip();
    return isList()
        ? text.lines()
            .map(line -> line.replaceFirst("#.*", "").strip())
            .filter(line -> !line.isEmpty())
            .collect(Collectors.joining(","))
        : text;
  }
}

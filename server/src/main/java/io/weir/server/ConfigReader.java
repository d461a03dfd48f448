package io.weir.server;

import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.limit.Periods;
import io.weir.rules.ConfigFile;
import io.weir.rules.EnvoyOptions;
import io.weir.rules.envoy.EnvoyLimiter;
import io.weir.server.ServerConfig.Ceiling;
import io.weir.server.ServerConfig.Memory;
import io.weir.server.envoy.EnvoySettings;
import io.weir.server.envoy.HeaderNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Makes a configuration of {@code weir.yaml} and the environment, or says all that is wrong. */
final class ConfigReader {
  private static final List<String> KNOWN =
      List.of(
          "listen.http",
          "listen.admin",
          "listen.grpc",
          "store",
          "store.memory",
          "store.memory.max_keys",
          "store.memory.max_bytes",
          "store.memory.new_keys_per_address",
          "store.redis.uri",
          "store.redis.timeout",
          "store.redis.clock",
          "store.redis.user",
          "store.redis.password",
          "store.redis.tls.ca",
          "store.redis.tls.cert",
          "store.redis.tls.key",
          "store.redis.tag_secret",
          "store.redis.new_keys_per_address",
          "store.hot.uri",
          "store.hot.user",
          "store.hot.password",
          "store.hot.rules",
          "fleet.min_instances",
          "guard.rate",
          "guard.in_flight",
          "rules.file",
          "rules.envoy",
          "envoy.shadow_mode",
          "envoy.quota_mode",
          "envoy.near_limit_ratio",
          "envoy.key_prefix",
          "envoy.merge_domains",
          "envoy.dot_files",
          "envoy.headers.enabled",
          "envoy.headers.limit",
          "envoy.headers.remaining",
          "envoy.headers.reset",
          "reservations.secret",
          "state.dir",
          "identity.client_ip.header",
          "identity.client_ip.trusted",
          "identity.client_ip.hops",
          "identity.client_ip.ipv6_prefix",
          "identity.api_key.header",
          "identity.api_key.known",
          "identity.jwt.jwks",
          "identity.jwt.issuer",
          "identity.jwt.audience",
          "identity.jwt.claims",
          "identity.jwt.leeway",
          "identity.jwt.refresh",
          "identity.jwt.failures",
          "identity.jwt.threads",
          "identity.jwt.queue",
          "headers",
          "callers.tokens",
          "callers.mtls.ca",
          "callers.mtls.names",
          "tls.cert",
          "tls.key",
          "tls.listeners",
          "listen.gateway",
          "gateway.upstream",
          "gateway.upstreams",
          "gateway.timeout",
          "gateway.connect_timeout",
          "gateway.max_body",
          "gateway.connections",
          "gateway.drain",
          "admin.tokens",
          "admin.metrics");

  /** Lists; in the environment their items stand between commas. */
  private static final Set<String> LISTS =
      Set.of(
          "identity.client_ip.trusted",
          "headers",
          "store.hot.rules",
          "callers.tokens",
          "callers.mtls.names",
          "tls.listeners",
          "admin.tokens");

  /** Maps; in the environment their entries are such as {@code user=sub,tenant=org.id}. */
  private static final Set<String> MAPS = Set.of("identity.jwt.claims", "gateway.upstreams");

  /** Each can be in a file of its own instead, named by the same setting with {@code _file}. */
  static final List<String> SECRETS =
      List.of(
          "admin.tokens",
          "callers.tokens",
          "reservations.secret",
          "store.redis.password",
          "store.redis.tag_secret",
          "store.hot.password");

  /** What these mean is settled, but this version cannot do it; to ignore them would be unsafe. */
  private static final List<String> LATER = List.of("rules.postgres", "events", "cell");

  /** A value, where it was said, and what a path in it is relative to. */
  record Value(String text, String source, Path base) {}

  private final Map<String, Value> values = new HashMap<>();
  private final List<String> reasons = new ArrayList<>();

  private ConfigReader() {}

  static ServerConfig read(
      Optional<Path> file, Map<String, String> environment, Optional<String> redis)
      throws ConfigException {
    ConfigReader reader = new ConfigReader();
    file.ifPresent(reader::takeFile);
    new EnvoyEnvironment(environment, reader.values, reader.reasons)
        .read(KNOWN, ServerConfig.DEFAULT);
    new ConfigEnvironment(environment, KNOWN, LATER).read(reader.values, reader.reasons);
    redis.ifPresent(
        uri -> reader.values.put("store.redis.uri", new Value(uri, "--redis", Path.of(""))));
    ServerConfig config = reader.config();
    if (!reader.reasons.isEmpty()) {
      throw new ConfigException(reader.reasons);
    }
    return config;
  }

  private void takeFile(Path file) {
    ConfigFile read = ConfigFile.read(file);
    read.problems().forEach(problem -> reasons.add(problem.toString()));
    Path base = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(Path.of(""));
    for (ConfigFile.Setting setting : read.settings()) {
      String source = file + ":" + setting.line() + ": " + setting.name();
      if (isPart(setting.name())) {
        takePart(setting, source, base);
      } else if (KNOWN.contains(setting.name())) {
        put(setting.name(), new Value(setting.value(), source, base));
      } else if (isSecretFile(setting.name())) {
        takeSecret(setting, source, base);
      } else if (isLater(setting.name(), LATER)) {
        reasons.add(source + " is not available in this version");
      } else {
        reasons.add(source + " is not a setting; " + near(setting.name()));
      }
    }
  }

  /**
   * What was meant most likely, else the settings of the same section, or all sections if there is
   * none of that name.
   */
  private static String near(String name) {
    Optional<String> meant = ConfigFile.nearest(name, KNOWN);
    if (meant.isPresent()) {
      return "did you mean " + meant.get() + "?";
    }
    String section = section(name);
    List<String> same = KNOWN.stream().filter(known -> section(known).equals(section)).toList();
    return "there are "
        + String.join(
            ", ",
            same.isEmpty() ? KNOWN.stream().map(ConfigReader::section).distinct().toList() : same);
  }

  private static String section(String name) {
    int dot = name.indexOf('.');
    return dot < 0 ? name : name.substring(0, dot);
  }

  /** Whether a setting is an item of a list or an entry of a map. */
  private static boolean isPart(String name) {
    int bracket = name.indexOf('[');
    return (bracket > 0 && LISTS.contains(name.substring(0, bracket)))
        || MAPS.stream().anyMatch(map -> name.startsWith(map + "."));
  }

  /** Adds an item or entry to what was said of its list or map, as the environment would say it. */
  private void takePart(ConfigFile.Setting setting, String source, Path base) {
    String name = setting.name();
    int bracket = name.indexOf('[');
    String whole = bracket > 0 ? name.substring(0, bracket) : name;
    String text = setting.value();
    for (String map : MAPS) {
      if (name.startsWith(map + ".")) {
        whole = map;
        text = name.substring(map.length() + 1) + "=" + text;
      }
    }
    if (text.indexOf(',') >= 0) {
      reasons.add(source + ": a comma cannot be part of it");
      return;
    }
    values.merge(
        whole,
        new Value(text, source, base),
        (before, more) ->
            new Value(before.text() + "," + more.text(), before.source(), before.base()));
  }

  private static boolean isSecretFile(String name) {
    return SECRETS.stream().anyMatch(secret -> name.equals(secret + "_file"));
  }

  private void takeSecret(ConfigFile.Setting setting, String source, Path base) {
    try {
      String name = setting.name().substring(0, setting.name().length() - "_file".length());
      put(name, new Value(contents(name, base.resolve(setting.value())), source, base));
    } catch (IOException | RuntimeException e) {
      reasons.add(source + ": " + setting.value() + " cannot be read");
    }
  }

  /** What a file says that holds a secret, or one on each line with notes behind {@code #}. */
  static String contents(String name, Path file) throws IOException {
    String text = Files.readString(file).strip();
    return LISTS.contains(name)
        ? text.lines()
            .map(line -> line.replaceFirst("#.*", "").strip())
            .filter(line -> !line.isEmpty())
            .collect(Collectors.joining(","))
        : text;
  }

  /** A file says everything once, but a secret may be there and in a file of its own too. */
  private void put(String name, Value value) {
    if (values.put(name, value) != null) {
      reasons.add(value.source() + ": set one of " + name + " and " + name + "_file");
    }
  }

  /** Whether a name is one of these, or inside one. */
  static boolean isLater(String name, List<String> later) {
    return later.stream()
        .anyMatch(l -> name.equals(l) || name.startsWith(l + ".") || name.startsWith(l + "["));
  }

  private ServerConfig config() {
    ServerConfig config = whole();
    config
        .frontEnd()
        .admin()
        .problemAt(config.admin())
        .filter(problem -> reasons.isEmpty()) // tokens that cannot be read are problem enough
        .ifPresent(problem -> complain("listen.admin", problem));
    return config;
  }

  private ServerConfig whole() {
    ServerConfig otherwise = ServerConfig.DEFAULT;
    checkStore();
    return new ServerConfig(
        get("listen.http", otherwise.http(), value -> Address.parse(value.text())),
        get("listen.admin", otherwise.admin(), value -> Address.parse(value.text())),
        get("listen.grpc", otherwise.grpc(), value -> Address.parse(value.text())),
        new Memory(
            get("store.memory.max_keys", otherwise.memory().maxKeys(), value -> count(value, 1)),
            get("store.memory.max_bytes", 0L, value -> count(value, 1 << 16))),
        new SharedSettings(this).read(),
        new Ceiling(
            get("guard.rate", otherwise.guard().rate(), ConfigReader::rate),
            get(
                "guard.in_flight",
                otherwise.guard().inFlight(),
                value -> (int) Math.min(Integer.MAX_VALUE, count(value, 1)))),
        get("rules.file", Optional.empty(), value -> Optional.of(path(value))),
        get("state.dir", Optional.empty(), value -> Optional.of(path(value))),
        get("reservations.secret", "", ConfigReader::secret),
        new FrontEndReader(this).read(),
        envoy());
  }

  private EnvoySettings envoy() {
    EnvoySettings otherwise = EnvoySettings.DEFAULT;
    HeaderNames headers = otherwise.headers();
    return new EnvoySettings(
        get("rules.envoy", Optional.empty(), value -> Optional.of(path(value))),
        new EnvoyOptions(
            get("envoy.dot_files", false, ConfigReader::flag),
            get("envoy.merge_domains", false, ConfigReader::flag),
            get("envoy.key_prefix", "", Value::text)),
        new EnvoyLimiter.Modes(
            get("envoy.shadow_mode", false, ConfigReader::flag),
            get("envoy.quota_mode", false, ConfigReader::flag)),
        get("envoy.near_limit_ratio", otherwise.nearLimitRatio(), ConfigReader::ratio),
        new HeaderNames(
            get("envoy.headers.enabled", false, ConfigReader::flag),
            get("envoy.headers.limit", headers.limit(), ConfigReader::header),
            get("envoy.headers.remaining", headers.remaining(), ConfigReader::header),
            get("envoy.headers.reset", headers.reset(), ConfigReader::header)));
  }

  private void checkStore() {
    get(
        "store",
        "memory",
        value -> {
          if (!value.text().equals("memory")) {
            throw new IllegalArgumentException(
                "a store is 'memory', or a map such as { redis: { uri: redis://localhost } }");
          }
          return value.text();
        });
  }

  /** Whether a setting was made. */
  boolean has(String name) {
    return values.containsKey(name);
  }

  /** Whether a place to listen was named to this process, not just handed to it as a port. */
  boolean isNamed(String name) {
    Value value = values.get(name);
    return value != null && !EnvoyEnvironment.isPort(value);
  }

  /** Notes that a setting cannot be meant. */
  void complain(String name, String reason) {
    Value value = values.get(name);
    reasons.add((value == null ? name : value.source()) + ": " + reason);
  }

  /** The items of a list, none for one that is empty; or {@code otherwise} if it is not there. */
  <T> List<T> list(String name, List<T> otherwise, Function<String, T> reading) {
    Value value = values.get(name);
    if (value == null) {
      return otherwise;
    }
    List<T> items = new ArrayList<>();
    if (!value.text().isBlank()) {
      for (String item : value.text().split(",", -1)) {
        try {
          items.add(reading.apply(item.strip()));
        } catch (IllegalArgumentException e) {
          complain(name, String.valueOf(e.getMessage()));
        }
      }
    }
    return items;
  }

  <T> T get(String name, T otherwise, Function<Value, T> reading) {
    Value value = values.get(name);
    if (value == null) {
      return otherwise;
    }
    try {
      if (value.text().isBlank() && !name.equals("store.memory")) {
        throw new IllegalArgumentException("has no value");
      }
      return reading.apply(value);
    } catch (IllegalArgumentException e) {
      reasons.add(value.source() + ": " + e.getMessage());
      return otherwise;
    }
  }

  private static TokenBucket rate(Value value) {
    if (Limit.parse(value.text()) instanceof TokenBucket bucket) {
      return bucket;
    }
    throw new IllegalArgumentException("must be a rate such as 200000/s");
  }

  static long count(Value value, long least) {
    long count = Periods.wholeNumber("value", value.text());
    if (count < least) {
      throw new IllegalArgumentException(count + " is less than " + least);
    }
    return count;
  }

  private static boolean flag(Value value) {
    return EnvoyEnvironment.flag(value.text());
  }

  private static double ratio(Value value) {
    double ratio = Double.parseDouble(value.text());
    if (!(ratio >= 0 && ratio <= 1)) {
      throw new IllegalArgumentException(value.text() + " is not between 0 and 1");
    }
    return ratio;
  }

  private static String header(Value value) {
    if (!value.text().matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+")) {
      throw new IllegalArgumentException("'" + value.text() + "' is not the name of a header");
    }
    return value.text();
  }

  static Path path(Value value) {
    return value.base().resolve(value.text());
  }

  static String secret(Value value) {
    if (value.text().length() < 16) {
      throw new IllegalArgumentException("a secret has at least 16 characters");
    }
    return value.text();
  }
}

package io.weir.server.config;

import io.weir.control.database.DatabaseSettings;
import io.weir.rules.ConfigFile;
import io.weir.rules.envoy.EnvoyOptions;
import io.weir.server.config.ServerConfig.LoadLimit;
import io.weir.server.config.ServerConfig.Memory;
import io.weir.server.envoy.limit.EnvoyLimiter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Reads the configuration from {@code weir.yaml} and the environment, and collects all errors. */
final class ConfigReader {
  private final Map<Setting, SettingValue> values = new EnumMap<>(Setting.class);
  private final List<String> reasons = new ArrayList<>();

  private ConfigReader() {}

  static ServerConfig read(
      Optional<Path> file, Map<String, String> environment, Optional<String> redis)
      throws ConfigException {
    ConfigReader reader = new ConfigReader();
    file.ifPresent(reader::addFile);
    new RatelimitEnvironment(environment, reader.values, reader.reasons).read(ServerConfig.DEFAULT);
    new ConfigEnvironment(environment).read(reader.values, reader.reasons);
    redis.ifPresent(
        uri -> reader.values.put(Setting.STORE_REDIS_URI, new SettingValue(uri, "--redis")));
    ServerConfig config = reader.config();
    if (!reader.reasons.isEmpty()) {
      throw new ConfigException(reader.reasons);
    }
    return config;
  }

  private void addFile(Path file) {
    ConfigFile read = ConfigFile.read(file);
    read.problems().forEach(problem -> reasons.add(problem.toString()));
    Path base = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(Path.of(""));
    for (ConfigFile.Setting setting : read.settings()) {
      String source = file + ":" + setting.line() + ": " + setting.name();
      add(setting.name(), new SettingValue(setting.value(), source, base));
    }
  }

  private void add(String path, SettingValue value) {
    Optional<Setting> whole = Setting.withPartAt(path);
    Optional<Setting> setting = Setting.at(path);
    Optional<Setting> secret = Setting.secretWithFileAt(path);
    if (whole.isPresent()) {
      addPart(whole.get(), path, value);
    } else if (setting.isPresent()) {
      put(setting.get(), value);
    } else if (secret.isPresent()) {
      addSecret(secret.get(), value);
    } else if (Setting.isLater(path)) {
      reasons.add(value.source() + " is not available in this version");
    } else {
      reasons.add(value.source() + " is not a setting; " + hint(path));
    }
  }

  /**
   * The most similar setting; otherwise the settings of the same section, or all sections if there
   * is no such section.
   */
  private static String hint(String name) {
    Optional<String> meant = ConfigFile.nearest(name, Setting.paths());
    if (meant.isPresent()) {
      return "did you mean " + meant.get() + "?";
    }
    String section = section(name);
    List<String> same =
        Setting.paths().stream().filter(path -> section(path).equals(section)).toList();
    return "known here: "
        + String.join(
            ", ",
            same.isEmpty()
                ? Setting.paths().stream().map(ConfigReader::section).distinct().toList()
                : same);
  }

  private static String section(String name) {
    int dot = name.indexOf('.');
    return dot < 0 ? name : name.substring(0, dot);
  }

  /** Adds an item or entry to its list or map, in the syntax of environment variables. */
  private void addPart(Setting whole, String path, SettingValue value) {
    String text =
        whole.isMap()
            ? path.substring(whole.path().length() + 1) + "=" + value.text()
            : value.text();
    if (text.indexOf(',') >= 0) {
      reasons.add(value.source() + ": must not contain a comma");
      return;
    }
    values.merge(
        whole,
        new SettingValue(text, value.source(), value.base()),
        (before, more) ->
            new SettingValue(before.text() + "," + more.text(), before.source(), before.base()));
  }

  private void addSecret(Setting secret, SettingValue file) {
    try {
      String text = secret.contents(file.path());
      put(secret, new SettingValue(text, file.source(), file.base()));
    } catch (IOException | RuntimeException e) {
      reasons.add(file.source() + ": " + file.text() + " cannot be read");
    }
  }

  /**
   * Puts a setting. The file has each setting once, but a secret may also be set by its {@code
   * _file}.
   */
  private void put(Setting setting, SettingValue value) {
    if (values.put(setting, value) != null) {
      String path = setting.path();
      reasons.add(value.source() + ": set only one of " + path + " and " + path + "_file");
    }
  }

  private ServerConfig config() {
    ServerConfig config = whole();
    config
        .frontEnd()
        .admin()
        .problemAt(config.admin())
        .filter(problem -> reasons.isEmpty()) // report invalid tokens alone
        .ifPresent(problem -> addProblem(Setting.LISTEN_ADMIN, problem));
    return config;
  }

  private ServerConfig whole() {
    ServerConfig defaults = ServerConfig.DEFAULT;
    checkStore();
    return new ServerConfig(
        get(Setting.LISTEN_HTTP, defaults.http(), SettingValue::address),
        get(Setting.LISTEN_ADMIN, defaults.admin(), SettingValue::address),
        get(Setting.LISTEN_GRPC, defaults.grpc(), SettingValue::address),
        new Memory(
            get(
                Setting.STORE_MEMORY_MAX_KEYS,
                defaults.memory().maxKeys(),
                value -> value.count(1)),
            get(Setting.STORE_MEMORY_MAX_BYTES, 0L, value -> value.count(1 << 16))),
        new SharedStoreSettingsReader(this).read(),
        new LoadLimit(
            get(Setting.GUARD_RATE, defaults.guard().rate(), SettingValue::rate),
            get(
                Setting.GUARD_IN_FLIGHT,
                defaults.guard().inFlight(),
                value -> value.atMost(Integer.MAX_VALUE))),
        get(Setting.RULES_FILE, Optional.empty(), value -> Optional.of(value.path())),
        get(Setting.STATE_DIR, Optional.empty(), value -> Optional.of(value.path())),
        control(),
        get(Setting.RESERVATIONS_SECRET, "", SettingValue::secret),
        new FrontEndSettingsReader(this).read(),
        envoy());
  }

  private ControlSettings control() {
    return new ControlSettings(
        get(
            Setting.CONTROL_DATABASE,
            Optional.empty(),
            value -> Optional.of(DatabaseSettings.postgres(value.text()))),
        get(Setting.CONTROL_SIGNING_KEY_FILE, Optional.empty(), value -> Optional.of(value.path())),
        get(Setting.CONTROL_RECORDING, true, SettingValue::flag),
        get(Setting.RULES_DATABASE, false, SettingValue::flag));
  }

  private EnvoySettings envoy() {
    EnvoySettings defaults = EnvoySettings.DEFAULT;
    RateLimitHeaderNames headers = defaults.headers();
    return new EnvoySettings(
        get(Setting.RULES_ENVOY, Optional.empty(), value -> Optional.of(value.path())),
        new EnvoyOptions(
            get(Setting.ENVOY_DOT_FILES, false, SettingValue::flag),
            get(Setting.ENVOY_MERGE_DOMAINS, false, SettingValue::flag),
            get(Setting.ENVOY_KEY_PREFIX, "", SettingValue::text)),
        new EnvoyLimiter.Modes(
            get(Setting.ENVOY_SHADOW_MODE, false, SettingValue::flag),
            get(Setting.ENVOY_QUOTA_MODE, false, SettingValue::flag)),
        get(Setting.ENVOY_NEAR_LIMIT_RATIO, defaults.nearLimitRatio(), SettingValue::ratio),
        new RateLimitHeaderNames(
            get(Setting.ENVOY_HEADERS_ENABLED, false, SettingValue::flag),
            get(Setting.ENVOY_HEADERS_LIMIT, headers.limit(), SettingValue::header),
            get(Setting.ENVOY_HEADERS_REMAINING, headers.remaining(), SettingValue::header),
            get(Setting.ENVOY_HEADERS_RESET, headers.reset(), SettingValue::header)));
  }

  private void checkStore() {
    get(
        Setting.STORE,
        "memory",
        value -> {
          if (!value.text().equals("memory")) {
            throw new IllegalArgumentException(
                "must be 'memory', or a map such as { redis: { uri: redis://localhost } }");
          }
          return value.text();
        });
  }

  /** Whether a setting is set. */
  boolean has(Setting setting) {
    return values.containsKey(setting);
  }

  /** Whether a listen address is set explicitly, and not only by {@code PORT} or the like. */
  boolean isExplicit(Setting setting) {
    SettingValue value = values.get(setting);
    return value != null && !RatelimitEnvironment.isPort(value);
  }

  /** Adds an error about a setting. */
  void addProblem(Setting setting, String reason) {
    SettingValue value = values.get(setting);
    reasons.add((value == null ? setting.path() : value.source()) + ": " + reason);
  }

  /** The items of a list; {@code defaults} if it is not set. */
  <T> List<T> list(Setting setting, List<T> defaults, Function<String, T> parser) {
    SettingValue value = values.get(setting);
    if (value == null) {
      return defaults;
    }
    List<T> items = new ArrayList<>();
    if (!value.text().isBlank()) {
      for (String item : value.text().split(",", -1)) {
        try {
          items.add(parser.apply(item.strip()));
        } catch (IllegalArgumentException e) {
          addProblem(setting, String.valueOf(e.getMessage()));
        }
      }
    }
    return items;
  }

  <T> T get(Setting setting, T defaults, Function<SettingValue, T> parser) {
    SettingValue value = values.get(setting);
    if (value == null) {
      return defaults;
    }
    try {
      if (value.text().isBlank() && setting != Setting.STORE_MEMORY) {
        throw new IllegalArgumentException("has no value");
      }
      return parser.apply(value);
    } catch (IllegalArgumentException e) {
      reasons.add(value.source() + ": " + e.getMessage());
      return defaults;
    }
  }
}

package io.weir.server.config;

import io.weir.rules.ConfigFile;
import io.weir.rules.EnvoyOptions;
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

/** Makes a configuration of {@code weir.yaml} and the environment, or says all that is wrong. */
final class ConfigReader {
  private final Map<Setting, SettingValue> values = new EnumMap<>(Setting.class);
  private final List<String> reasons = new ArrayList<>();

  private ConfigReader() {}

  static ServerConfig read(
      Optional<Path> file, Map<String, String> environment, Optional<String> redis)
      throws ConfigException {
    ConfigReader reader = new ConfigReader();
    file.ifPresent(reader::takeFile);
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

  private void takeFile(Path file) {
    ConfigFile read = ConfigFile.read(file);
    read.problems().forEach(problem -> reasons.add(problem.toString()));
    Path base = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(Path.of(""));
    for (ConfigFile.Setting setting : read.settings()) {
      String source = file + ":" + setting.line() + ": " + setting.name();
      take(setting.name(), new SettingValue(setting.value(), source, base));
    }
  }

  private void take(String path, SettingValue value) {
    Optional<Setting> whole = Setting.withPartAt(path);
    Optional<Setting> setting = Setting.at(path);
    Optional<Setting> secret = Setting.secretWithFileAt(path);
    if (whole.isPresent()) {
      takePart(whole.get(), path, value);
    } else if (setting.isPresent()) {
      put(setting.get(), value);
    } else if (secret.isPresent()) {
      takeSecret(secret.get(), value);
    } else if (Setting.isLater(path)) {
      reasons.add(value.source() + " is not available in this version");
    } else {
      reasons.add(value.source() + " is not a setting; " + near(path));
    }
  }

  /**
   * What was meant most likely, else the settings of the same section, or all sections if there is
   * none of that name.
   */
  private static String near(String name) {
    Optional<String> meant = ConfigFile.nearest(name, Setting.paths());
    if (meant.isPresent()) {
      return "did you mean " + meant.get() + "?";
    }
    String section = section(name);
    List<String> same =
        Setting.paths().stream().filter(path -> section(path).equals(section)).toList();
    return "there are "
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

  /** Adds an item or entry to its list or map, in the form that a variable has. */
  private void takePart(Setting whole, String path, SettingValue value) {
    String text =
        whole.isMap()
            ? path.substring(whole.path().length() + 1) + "=" + value.text()
            : value.text();
    if (text.indexOf(',') >= 0) {
      reasons.add(value.source() + ": a comma cannot be part of it");
      return;
    }
    values.merge(
        whole,
        new SettingValue(text, value.source(), value.base()),
        (before, more) ->
            new SettingValue(before.text() + "," + more.text(), before.source(), before.base()));
  }

  private void takeSecret(Setting secret, SettingValue file) {
    try {
      String text = secret.contents(file.path());
      put(secret, new SettingValue(text, file.source(), file.base()));
    } catch (IOException | RuntimeException e) {
      reasons.add(file.source() + ": " + file.text() + " cannot be read");
    }
  }

  /** A file says everything once, but a secret may be there and in a file of its own too. */
  private void put(Setting setting, SettingValue value) {
    if (values.put(setting, value) != null) {
      String path = setting.path();
      reasons.add(value.source() + ": set one of " + path + " and " + path + "_file");
    }
  }

  private ServerConfig config() {
    ServerConfig config = whole();
    config
        .frontEnd()
        .admin()
        .problemAt(config.admin())
        .filter(problem -> reasons.isEmpty()) // tokens that cannot be read are problem enough
        .ifPresent(problem -> addProblem(Setting.LISTEN_ADMIN, problem));
    return config;
  }

  private ServerConfig whole() {
    ServerConfig otherwise = ServerConfig.DEFAULT;
    checkStore();
    return new ServerConfig(
        get(Setting.LISTEN_HTTP, otherwise.http(), SettingValue::address),
        get(Setting.LISTEN_ADMIN, otherwise.admin(), SettingValue::address),
        get(Setting.LISTEN_GRPC, otherwise.grpc(), SettingValue::address),
        new Memory(
            get(
                Setting.STORE_MEMORY_MAX_KEYS,
                otherwise.memory().maxKeys(),
                value -> value.count(1)),
            get(Setting.STORE_MEMORY_MAX_BYTES, 0L, value -> value.count(1 << 16))),
        new SharedStoreSettingsReader(this).read(),
        new LoadLimit(
            get(Setting.GUARD_RATE, otherwise.guard().rate(), SettingValue::rate),
            get(
                Setting.GUARD_IN_FLIGHT,
                otherwise.guard().inFlight(),
                value -> value.atMost(Integer.MAX_VALUE))),
        get(Setting.RULES_FILE, Optional.empty(), value -> Optional.of(value.path())),
        get(Setting.STATE_DIR, Optional.empty(), value -> Optional.of(value.path())),
        get(Setting.RESERVATIONS_SECRET, "", SettingValue::secret),
        new FrontEndSettingsReader(this).read(),
        envoy());
  }

  private EnvoySettings envoy() {
    EnvoySettings otherwise = EnvoySettings.DEFAULT;
    RateLimitHeaderNames headers = otherwise.headers();
    return new EnvoySettings(
        get(Setting.RULES_ENVOY, Optional.empty(), value -> Optional.of(value.path())),
        new EnvoyOptions(
            get(Setting.ENVOY_DOT_FILES, false, SettingValue::flag),
            get(Setting.ENVOY_MERGE_DOMAINS, false, SettingValue::flag),
            get(Setting.ENVOY_KEY_PREFIX, "", SettingValue::text)),
        new EnvoyLimiter.Modes(
            get(Setting.ENVOY_SHADOW_MODE, false, SettingValue::flag),
            get(Setting.ENVOY_QUOTA_MODE, false, SettingValue::flag)),
        get(Setting.ENVOY_NEAR_LIMIT_RATIO, otherwise.nearLimitRatio(), SettingValue::ratio),
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
                "a store is 'memory', or a map such as { redis: { uri: redis://localhost } }");
          }
          return value.text();
        });
  }

  /** Whether a setting was made. */
  boolean has(Setting setting) {
    return values.containsKey(setting);
  }

  /** Whether a place to listen was named to this process, not just handed to it as a port. */
  boolean isNamed(Setting setting) {
    SettingValue value = values.get(setting);
    return value != null && !RatelimitEnvironment.isPort(value);
  }

  /** Notes that a setting cannot be meant. */
  void addProblem(Setting setting, String reason) {
    SettingValue value = values.get(setting);
    reasons.add((value == null ? setting.path() : value.source()) + ": " + reason);
  }

  /** The items of a list, none for one that is empty; or {@code otherwise} if it is not there. */
  <T> List<T> list(Setting setting, List<T> otherwise, Function<String, T> reading) {
    SettingValue value = values.get(setting);
    if (value == null) {
      return otherwise;
    }
    List<T> items = new ArrayList<>();
    if (!value.text().isBlank()) {
      for (String item : value.text().split(",", -1)) {
        try {
          items.add(reading.apply(item.strip()));
        } catch (IllegalArgumentException e) {
          addProblem(setting, String.valueOf(e.getMessage()));
        }
      }
    }
    return items;
  }

  <T> T get(Setting setting, T otherwise, Function<SettingValue, T> reading) {
    SettingValue value = values.get(setting);
    if (value == null) {
      return otherwise;
    }
    try {
      if (value.text().isBlank() && setting != Setting.STORE_MEMORY) {
        throw new IllegalArgumentException("has no value");
      }
      return reading.apply(value);
    } catch (IllegalArgumentException e) {
      reasons.add(value.source() + ": " + e.getMessage());
      return otherwise;
    }
  }
}

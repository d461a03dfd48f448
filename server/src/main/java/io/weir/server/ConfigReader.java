package io.weir.server;

import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.limit.Periods;
import io.weir.rules.ConfigFile;
import io.weir.server.ServerConfig.Ceiling;
import io.weir.server.ServerConfig.Memory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

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
          "guard.rate",
          "guard.in_flight",
          "rules.file",
          "reservations.secret",
          "state.dir");

  /** What these mean is settled, but this version cannot do it; to ignore them would be unsafe. */
  private static final List<String> LATER =
      List.of(
          "listen.gateway",
          "store.redis",
          "store.hot",
          "rules.postgres",
          "rules.envoy",
          "admin",
          "identity",
          "gateway",
          "callers",
          "events",
          "cell",
          "headers",
          "fleet");

  /** A value, where it was said, and what a path in it is relative to. */
  record Value(String text, String source, Path base) {}

  private final Map<String, Value> values = new HashMap<>();
  private final List<String> reasons = new ArrayList<>();

  private ConfigReader() {}

  static ServerConfig read(Optional<Path> file, Map<String, String> environment)
      throws ConfigException {
    ConfigReader reader = new ConfigReader();
    file.ifPresent(reader::takeFile);
    new ConfigEnvironment(environment, KNOWN, LATER).read(reader.values, reader.reasons);
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
      if (KNOWN.contains(setting.name())) {
        values.put(setting.name(), new Value(setting.value(), source, base));
      } else if (isLater(setting.name(), LATER)) {
        reasons.add(source + " is not available in this version");
      } else {
        reasons.add(source + " is not a setting; there are " + String.join(", ", KNOWN));
      }
    }
  }

  /** Whether a name is one of these, or inside one. */
  static boolean isLater(String name, List<String> later) {
    return later.stream()
        .anyMatch(l -> name.equals(l) || name.startsWith(l + ".") || name.startsWith(l + "["));
  }

  private ServerConfig config() {
    ServerConfig otherwise = ServerConfig.DEFAULT;
    checkStore();
    return new ServerConfig(
        get("listen.http", otherwise.http(), value -> Address.parse(value.text())),
        get("listen.admin", otherwise.admin(), value -> Address.parse(value.text())),
        get("listen.grpc", otherwise.grpc(), value -> Address.parse(value.text())),
        new Memory(
            get("store.memory.max_keys", otherwise.memory().maxKeys(), value -> count(value, 1)),
            get("store.memory.max_bytes", 0L, value -> count(value, 1 << 16))),
        new Ceiling(
            get("guard.rate", otherwise.guard().rate(), ConfigReader::rate),
            get(
                "guard.in_flight",
                otherwise.guard().inFlight(),
                value -> (int) Math.min(Integer.MAX_VALUE, count(value, 1)))),
        get("rules.file", Optional.empty(), value -> Optional.of(path(value))),
        get("state.dir", Optional.empty(), value -> Optional.of(path(value))),
        get("reservations.secret", "", ConfigReader::secret));
  }

  private void checkStore() {
    get(
        "store",
        "memory",
        value -> {
          if (!value.text().equals("memory")) {
            throw new IllegalArgumentException("this version has only the store 'memory'");
          }
          return value.text();
        });
  }

  private <T> T get(String name, T otherwise, Function<Value, T> reading) {
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

  private static long count(Value value, long least) {
    long count = Periods.wholeNumber("value", value.text());
    if (count < least) {
      throw new IllegalArgumentException(count + " is less than " + least);
    }
    return count;
  }

  private static Path path(Value value) {
    return value.base().resolve(value.text());
  }

  private static String secret(Value value) {
    if (value.text().length() < 16) {
      throw new IllegalArgumentException("a secret has at least 16 characters");
    }
    return value.text();
  }
}

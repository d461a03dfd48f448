package io.weir.server;

import io.weir.server.ConfigReader.Value;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings from the environment: {@code guard.rate} is {@code WEIR_GUARD_RATE}. A secret can be the
 * name of a file that holds it: {@code WEIR_RESERVATIONS_SECRET_FILE}.
 */
final class ConfigEnvironment {
  private static final Logger LOG = LoggerFactory.getLogger(ConfigEnvironment.class);
  private static final String PREFIX = "WEIR_";

  /** What the launcher and other commands read. */
  private static final List<String> OTHERS = List.of("WEIR_JAVA_OPTS", "WEIR_TOKEN");

  /** What Kubernetes sets for every service whose name begins with "weir". */
  private static final Pattern SERVICE_LINK =
      Pattern.compile("WEIR_.*(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_[0-9]+_.*)?)");

  private final Map<String, String> environment;
  private final Map<String, String> known = new TreeMap<>();
  private final List<String> later;

  ConfigEnvironment(Map<String, String> environment, List<String> known, List<String> later) {
    this.environment = new TreeMap<>(environment);
    known.forEach(name -> this.known.put(variable(name), name));
    this.later = later.stream().map(ConfigEnvironment::variable).toList();
  }

  private static String variable(String name) {
    return PREFIX + name.replace('.', '_').toUpperCase(Locale.ROOT);
  }

  /** Puts what the environment says over what was said before. */
  void read(Map<String, Value> values, List<String> reasons) {
    environment.forEach(
        (variable, text) -> {
          if (known.containsKey(variable)) {
            values.put(known.get(variable), new Value(text, variable, Path.of("")));
          } else if (isSecretFile(variable)) {
            readSecret(variable, text, values, reasons);
          } else if (isOurs(variable)) {
            complain(variable, reasons);
          }
        });
  }

  private static boolean isOurs(String variable) {
    return variable.startsWith(PREFIX)
        && !OTHERS.contains(variable)
        && !SERVICE_LINK.matcher(variable).matches();
  }

  private void complain(String variable, List<String> reasons) {
    if (later.stream().anyMatch(l -> variable.equals(l) || variable.startsWith(l + "_"))) {
      reasons.add(variable + " is not available in this version");
    } else {
      LOG.warn("{} is not a setting and is ignored", variable);
    }
  }

  private static boolean isSecretFile(String variable) {
    return ConfigReader.SECRETS.stream()
        .anyMatch(name -> variable.equals(variable(name) + "_FILE"));
  }

  private void readSecret(
      String variable, String file, Map<String, Value> values, List<String> reasons) {
    String plain = variable.substring(0, variable.length() - "_FILE".length());
    if (environment.containsKey(plain)) {
      reasons.add(variable + ": " + plain + " is set too; set one of them");
      return;
    }
    try {
      String name = known.get(plain);
      String secret = ConfigReader.contents(name, Path.of(file));
      values.put(name, new Value(secret, variable, Path.of("")));
    } catch (IOException | RuntimeException e) {
      reasons.add(variable + ": " + file + " cannot be read");
    }
  }
}

package io.weir.server.config;

import io.weir.rules.ConfigFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Settings from the environment: {@code guard.rate} is {@code WEIR_GUARD_RATE}. A secret can be the
 * name of a file that holds it: {@code WEIR_RESERVATIONS_SECRET_FILE}. A variable that begins with
 * {@code WEIR_} and is no setting is an error, as an unknown setting of the file is.
 */
final class ConfigEnvironment {
  private static final String PREFIX = Setting.PREFIX;

  /** What the launcher and other commands read. */
  private static final List<String> OTHERS = List.of("WEIR_JAVA_OPTS", "WEIR_TOKEN");

  /** What the build and the tests of Weir read. */
  private static final List<String> OF_TESTS = List.of("WEIR_TEST_", "WEIR_REQUIRE_");

  /** What Kubernetes and Docker set for every service whose name begins with "weir". */
  private static final Pattern SERVICE_LINK =
      Pattern.compile("WEIR_.*(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT_[0-9]+_.*)");

  private static final Pattern SERVICE_PORT = Pattern.compile("WEIR_(.*_)?PORT");
  private static final Pattern PORT_URL = Pattern.compile("(tcp|udp|sctp)://.*");

  private final Map<String, String> environment;
  private final Map<String, Setting> known = new TreeMap<>();
  private final Map<String, Setting> secretFiles = new TreeMap<>();

  ConfigEnvironment(Map<String, String> environment) {
    this.environment = new TreeMap<>(environment);
    for (Setting setting : Setting.values()) {
      known.put(setting.variable(), setting);
      if (setting.isSecret()) {
        secretFiles.put(setting.fileVariable(), setting);
      }
    }
  }

  /** Puts what the environment says over what was said before. */
  void read(Map<Setting, SettingValue> values, List<String> reasons) {
    environment.forEach(
        (variable, text) -> {
          if (known.containsKey(variable)) {
            values.put(known.get(variable), new SettingValue(text, variable));
          } else if (secretFiles.containsKey(variable)) {
            readSecret(variable, text, values, reasons);
          } else if (isOurs(variable, text)) {
            reasons.add(complaint(variable));
          }
        });
  }

  private static boolean isOurs(String variable, String text) {
    return variable.startsWith(PREFIX)
        && !OTHERS.contains(variable)
        && OF_TESTS.stream().noneMatch(variable::startsWith)
        && !isServiceLink(variable, text);
  }

  /** A link's port is a URL, so that {@code WEIR_LISTEN_PORT=8080} is still found to be a slip. */
  private static boolean isServiceLink(String variable, String text) {
    return SERVICE_LINK.matcher(variable).matches()
        || (SERVICE_PORT.matcher(variable).matches() && PORT_URL.matcher(text).matches());
  }

  private String complaint(String variable) {
    if (Setting.isLaterVariable(variable)) {
      return variable + " is not available in this version";
    }
    List<String> names = new ArrayList<>(known.keySet());
    names.addAll(secretFiles.keySet());
    return variable + " is not a setting; " + hint(variable, names);
  }

  /** What was meant most likely, else the settings of the same section. */
  private static String hint(String variable, List<String> names) {
    List<String> bare = names.stream().map(ConfigEnvironment::bare).toList();
    Optional<String> meant = ConfigFile.nearest(bare(variable), bare);
    if (meant.isPresent()) {
      return "did you mean " + PREFIX + meant.get().toUpperCase(Locale.ROOT) + "?";
    }
    int end = variable.indexOf('_', PREFIX.length());
    String section = end < 0 ? variable : variable.substring(0, end + 1);
    List<String> same = names.stream().filter(name -> name.startsWith(section)).sorted().toList();
    return same.isEmpty()
        ? "variables that begin with " + PREFIX + " are settings of this process"
        : "there are " + String.join(", ", same);
  }

  /** Without the prefix, which says nothing about what was meant. */
  private static String bare(String variable) {
    return variable.substring(PREFIX.length()).toLowerCase(Locale.ROOT);
  }

  private void readSecret(
      String variable, String file, Map<Setting, SettingValue> values, List<String> reasons) {
    Setting secret = Objects.requireNonNull(secretFiles.get(variable));
    if (environment.containsKey(secret.variable())) {
      reasons.add(variable + ": " + secret.variable() + " is set too; set one of them");
      return;
    }
    try {
      values.put(secret, new SettingValue(secret.contents(Path.of(file)), variable));
    } catch (IOException | RuntimeException e) {
      reasons.add(variable + ": " + file + " cannot be read");
    }
  }
}

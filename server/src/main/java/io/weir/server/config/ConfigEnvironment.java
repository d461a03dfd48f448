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
 * Reads settings from the environment: {@code guard.rate} is {@code WEIR_GUARD_RATE}. A secret can
 * also be in a file: {@code WEIR_RESERVATIONS_SECRET_FILE} names it. A variable that starts with
 * {@code WEIR_} and is not a setting is an error, like an unknown setting in the file.
 */
final class ConfigEnvironment {
  private static final String PREFIX = Setting.PREFIX;

  /** Variables of the launcher and other commands. */
  private static final List<String> OTHERS =
      List.of("WEIR_JAVA_OPTS", "WEIR_TOKEN", "WEIR_TOKEN_FILE");

  /** Prefixes of variables for the build and the tests of Weir. */
  private static final List<String> OF_TESTS = List.of("WEIR_TEST_", "WEIR_REQUIRE_");

  /** Variables that Kubernetes and Docker set for every service whose name starts with "weir". */
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

  /** Adds the settings of the environment, which override earlier ones. */
  void read(Map<Setting, SettingValue> values, List<String> reasons) {
    environment.forEach(
        (variable, text) -> {
          if (known.containsKey(variable)) {
            values.put(known.get(variable), new SettingValue(text, variable));
          } else if (secretFiles.containsKey(variable)) {
            readSecret(variable, text, values, reasons);
          } else if (isUnknownSetting(variable, text)) {
            reasons.add(reason(variable));
          }
        });
  }

  private static boolean isUnknownSetting(String variable, String text) {
    return variable.startsWith(PREFIX)
        && !OTHERS.contains(variable)
        && OF_TESTS.stream().noneMatch(variable::startsWith)
        && !isServiceLink(variable, text);
  }

  /**
   * Whether it is set by Kubernetes or Docker. The port in such a variable is a URL, so {@code
   * WEIR_LISTEN_PORT=8080} is still reported as a mistake.
   */
  private static boolean isServiceLink(String variable, String text) {
    return SERVICE_LINK.matcher(variable).matches()
        || (SERVICE_PORT.matcher(variable).matches() && PORT_URL.matcher(text).matches());
  }

  private String reason(String variable) {
    if (Setting.isLaterVariable(variable)) {
      return variable + " is not available in this version";
    }
    List<String> names = new ArrayList<>(known.keySet());
    names.addAll(secretFiles.keySet());
    return variable + " is not a setting; " + hint(variable, names);
  }

  /** The most similar setting, otherwise all settings of the same section. */
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
        ? "variables that start with " + PREFIX + " are settings of this process"
        : "known here: " + String.join(", ", same);
  }

  /** The name without the prefix, in lower case, for comparison. */
  private static String bare(String variable) {
    return variable.substring(PREFIX.length()).toLowerCase(Locale.ROOT);
  }

  private void readSecret(
      String variable, String file, Map<Setting, SettingValue> values, List<String> reasons) {
    Setting secret = Objects.requireNonNull(secretFiles.get(variable));
    if (environment.containsKey(secret.variable())) {
      reasons.add(variable + ": " + secret.variable() + " is set too; set only one of them");
      return;
    }
    try {
      values.put(secret, new SettingValue(secret.contents(Path.of(file)), variable));
    } catch (IOException | RuntimeException e) {
      reasons.add(variable + ": " + file + " cannot be read");
    }
  }
}

package io.weir.server.control;

import io.weir.control.database.DatabaseSettings;
import io.weir.control.text.Digest;
import io.weir.server.config.ServerConfig;
import java.nio.file.Path;

/** Where the control plane keeps its state on this machine. */
final class ControlFiles {
  private static final int DIGITS = 16;

  private ControlFiles() {}

  /** The configured database, or the H2 file of the rule path in the state folder. */
  static DatabaseSettings database(ServerConfig config, Path state) {
    if (config.control().database().isPresent()) {
      return config.control().database().get();
    }
    Path rules = config.rules().or(() -> config.envoy().folder()).orElse(Path.of("database"));
    String holder =
        "process " + ProcessHandle.current().pid() + " (admin port " + config.admin() + ")";
    return DatabaseSettings.embedded(state, rules, holder);
  }

  /** The file with the last good state of a database. */
  static Path cache(DatabaseSettings database, Path state) {
    Path named =
        database instanceof DatabaseSettings.Embedded embedded
            ? embedded.file()
            : DatabaseSettings.embedded(state, Path.of("/", database.description()), "").file();
    return named.resolveSibling(named.getFileName() + ".state");
  }

  /**
   * The name of the store whose quota counts are checkpointed: the shared one, or the memory of the
   * process with this state folder.
   */
  static String cell(ServerConfig config, Path state) {
    String place =
        config.redis().isPresent()
            ? config.store()
            : InstanceName.host() + " " + state.toAbsolutePath().normalize();
    return (config.redis().isPresent() ? "redis-" : "memory-")
        + new Digest().add(place).hex().substring(0, DIGITS);
  }
}

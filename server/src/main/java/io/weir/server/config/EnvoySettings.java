package io.weir.server.config;

import io.weir.rules.envoy.EnvoyOptions;
import io.weir.server.envoy.limit.EnvoyLimiter.Modes;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The settings of Envoy's rate limit service.
 *
 * @param folder the configuration folder, if any
 * @param files options for reading it
 * @param nearLimitRatio hits above this fraction of a limit count as near the limit
 */
public record EnvoySettings(
    Optional<Path> folder,
    EnvoyOptions files,
    Modes modes,
    double nearLimitRatio,
    RateLimitHeaderNames headers) {

  public static final EnvoySettings DEFAULT =
      new EnvoySettings(
          Optional.empty(), EnvoyOptions.DEFAULT, Modes.PLAIN, 0.8, RateLimitHeaderNames.DEFAULT);

  /** A copy with another folder. */
  public EnvoySettings folder(Path other) {
    return new EnvoySettings(Optional.of(other), files, modes, nearLimitRatio, headers);
  }
}

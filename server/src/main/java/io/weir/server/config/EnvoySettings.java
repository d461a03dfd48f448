package io.weir.server.config;

import io.weir.rules.EnvoyOptions;
import io.weir.server.envoy.limit.EnvoyLimiter.Modes;
import java.nio.file.Path;
import java.util.Optional;

/**
 * All that can be told about Envoy's rate limit service.
 *
 * @param folder the configuration folder, if any
 * @param files how it is read
 * @param nearLimitRatio hits beyond this part of a limit count as near it
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

  /** The same with another folder. */
  public EnvoySettings folder(Path other) {
    return new EnvoySettings(Optional.of(other), files, modes, nearLimitRatio, headers);
  }
}

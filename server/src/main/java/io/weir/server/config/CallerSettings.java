package io.weir.server.config;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * Authentication on the data and gRPC ports: by one of these tokens, or by a client certificate of
 * this CA. Without either, every caller is accepted.
 *
 * @param tokens the SHA-256 of each, 64 hex digits in lower case
 * @param authority the CA certificates for client certificates
 * @param names the accepted names of client certificates; empty for all
 */
public record CallerSettings(Set<String> tokens, Optional<Path> authority, Set<String> names) {
  /** Accepts every caller. */
  public static final CallerSettings ANYONE =
      new CallerSettings(Set.of(), Optional.empty(), Set.of());

  public CallerSettings {
    tokens = Set.copyOf(tokens);
    names = Set.copyOf(names);
  }

  /** Whether every caller is accepted. */
  public boolean acceptsAll() {
    return tokens.isEmpty() && authority.isEmpty();
  }
}

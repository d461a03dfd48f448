package io.weir.server.config;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * Who may ask for decisions: those with one of these tokens, or with a certificate by this
 * authority. Anybody, if there is neither.
 *
 * @param tokens the SHA-256 of each, 64 hex digits in lower case
 * @param authority the certificates that client certificates must lead to
 * @param names those of them that count, by a name in the certificate; all if there are none
 */
public record CallerSettings(Set<String> tokens, Optional<Path> authority, Set<String> names) {
  /** Answers everybody. */
  public static final CallerSettings ANYONE =
      new CallerSettings(Set.of(), Optional.empty(), Set.of());

  public CallerSettings {
    tokens = Set.copyOf(tokens);
    names = Set.copyOf(names);
  }

  /** Whether everybody is answered. */
  public boolean isAnyone() {
    return tokens.isEmpty() && authority.isEmpty();
  }
}

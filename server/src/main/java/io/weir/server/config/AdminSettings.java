package io.weir.server.config;

import io.weir.http.identity.Sha256;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Access to the admin port.
 *
 * @param tokens empty for one that is generated at start
 * @param metricsNeedToken whether {@code /metrics} requires a token too
 */
public record AdminSettings(List<Token> tokens, boolean metricsNeedToken) {
  /** A token generated at start, and metrics without a token. */
  public static final AdminSettings DEFAULT = new AdminSettings(List.of(), false);

  public AdminSettings {
    tokens = List.copyOf(tokens);
  }

  /**
   * A token, stored as its hash.
   *
   * @param hash its SHA-256, 64 hex digits in lower case
   * @param expires when it expires; {@link Instant#MAX} for never
   */
  public record Token(String hash, AdminRole role, Instant expires) {
    /**
     * Reads {@code HASH ROLE} or {@code HASH ROLE EXPIRES}.
     *
     * @throws IllegalArgumentException with a reason that does not repeat the text, which may be a
     *     token in plain text
     */
    static Token parse(String text) {
      String[] words = text.strip().split("\\s+", -1);
      if (words.length < 2 || words.length > 3 || !Sha256.isHex(words[0])) {
        throw new IllegalArgumentException(
            "tokens are written as their SHA-256 (printf %s TOKEN | sha256sum), a role (viewer,"
                + " operator, admin) and, optionally, the day on which they expire");
      }
      return new Token(
          words[0].toLowerCase(Locale.ROOT),
          AdminRole.named(words[1]),
          words.length == 3 ? instant(words[2]) : Instant.MAX);
    }

    /** A date, meaning its start in UTC, or a timestamp. */
    private static Instant instant(String text) {
      try {
        return text.length() == 10
            ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
            : OffsetDateTime.parse(text).toInstant();
      } catch (DateTimeException e) {
        throw new IllegalArgumentException(
            "'" + text + "' is not a date such as 2027-01-01 or a timestamp", e);
      }
    }

    @Override
    public String toString() {
      return role.id() + " until " + expires;
    }
  }

  /** Why these settings are unsafe on a port at this address; empty if they are not. */
  public Optional<String> problemAt(ListenAddress address) {
    return tokens.isEmpty() && !address.isLoopback()
        ? Optional.of(
            address
                + " can be reached from other machines; set admin.tokens, or listen on 127.0.0.1")
        : Optional.empty();
  }
}

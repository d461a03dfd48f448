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
 * Who may use the admin API.
 *
 * @param tokens none for one that is made at start
 * @param metricsNeedToken whether {@code /metrics} asks for a token too
 */
public record AdminSettings(List<Token> tokens, boolean metricsNeedToken) {
  /** A token made at start, and metrics for everybody. */
  public static final AdminSettings DEFAULT = new AdminSettings(List.of(), false);

  public AdminSettings {
    tokens = List.copyOf(tokens);
  }

  /**
   * A token, known by its hash.
   *
   * @param hash its SHA-256, 64 hex digits in lower case
   * @param expires when it is no longer good; {@link Instant#MAX} for never
   */
  public record Token(String hash, AdminRole role, Instant expires) {
    /**
     * Reads {@code HASH ROLE} or {@code HASH ROLE EXPIRES}.
     *
     * @throws IllegalArgumentException with a reason in words, without what was meant as a hash
     */
    static Token parse(String text) {
      String[] words = text.strip().split("\\s+", -1);
      if (words.length < 2 || words.length > 3 || !Sha256.isHex(words[0])) {
        throw new IllegalArgumentException(
            "tokens are written as their SHA-256 (printf %s TOKEN | sha256sum), a role (viewer,"
                + " operator, admin) and, if they end, the day");
      }
      return new Token(
          words[0].toLowerCase(Locale.ROOT),
          AdminRole.named(words[1]),
          words.length == 3 ? moment(words[2]) : Instant.MAX);
    }

    /** A date, at whose start in UTC it ends, or a moment. */
    private static Instant moment(String text) {
      try {
        return text.length() == 10
            ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
            : OffsetDateTime.parse(text).toInstant();
      } catch (DateTimeException e) {
        throw new IllegalArgumentException(
            "'" + text + "' is not a day such as 2027-01-01 or a moment", e);
      }
    }

    @Override
    public String toString() {
      return role.id() + " until " + expires;
    }
  }

  /** What is wrong with these on a port at this address, if anything. */
  public Optional<String> problemAt(ListenAddress address) {
    return tokens.isEmpty() && !address.isLoopback()
        ? Optional.of(
            address
                + " can be reached from other machines; set admin.tokens, or listen on 127.0.0.1")
        : Optional.empty();
  }
}

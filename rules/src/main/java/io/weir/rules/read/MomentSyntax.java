package io.weir.rules.read;

import io.weir.rules.text.Messages;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/** Parses the moment at which something expires. */
final class MomentSyntax {
  private MomentSyntax() {}

  /** An instant, or a date, which means the start of that day in UTC. */
  static Instant parse(String text) {
    try {
      return text.length() == 10
          ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
          : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "expires must be a date such as 2027-01-01 or a moment such as 2027-01-01T12:00:00Z, not "
              + Messages.quote(text));
    }
  }
}

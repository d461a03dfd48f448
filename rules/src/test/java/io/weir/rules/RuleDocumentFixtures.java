package io.weir.rules;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** Documents for tests, and their problems. */
public final class RuleDocumentFixtures {
  /** The current time in tests. */
  public static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  private RuleDocumentFixtures() {}

  /** A document from the test resources. */
  public static String text(String name) {
    try (InputStream in = RuleDocumentFixtures.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The problems of a document, as users see them. */
  public static List<String> problems(String text) {
    return RuleDocuments.parse("r.yaml", text, NOW).problems().stream()
        .map(Problem::toString)
        .toList();
  }
}

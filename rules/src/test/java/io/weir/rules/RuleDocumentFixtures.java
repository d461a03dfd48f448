package io.weir.rules;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** Documents for tests, and what is wrong with them. */
public final class RuleDocumentFixtures {
  /** When tests take place. */
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

  /** What is wrong with a document, line by line as users see it. */
  public static List<String> problems(String text) {
    return RuleDocuments.parse("r.yaml", text, NOW).problems().stream()
        .map(Problem::toString)
        .toList();
  }
}

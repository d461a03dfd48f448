package io.weir.rules.read;

import io.weir.Limit;
import io.weir.LimitKind;
import io.weir.rule.Bypass;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.MapReader;
import io.weir.rules.tree.TreeNode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reads one entry of {@code bypass}: a token that exempts its bearer from the rules. */
public final class BypassReader {
  public static final List<String> FIELDS = List.of("id", "token_sha256", "limit", "expires");

  private BypassReader() {}

  static Optional<Bypass> read(MapReader fields, String id, Instant now) {
    Location location = fields.location();
    for (String required : FIELDS) {
      if (!fields.has(required)) {
        location.error(fields.line(required), required + " is missing");
      }
    }
    Optional<String> token = fields.read("token_sha256", "64 hex digits", BypassReader::token);
    Optional<Limit> limit = limit(fields);
    Optional<Instant> expires = fields.read("expires", "2027-01-01", MomentSyntax::parse);
    if (expires.isPresent() && !expires.get().isAfter(now)) {
      location.warning(fields.line("expires"), "it has expired and has no effect");
    }
    return token.isPresent() && limit.isPresent() && expires.isPresent()
        ? Optional.of(new Bypass(id, token.get(), limit.get(), expires.get()))
        : Optional.empty();
  }

  private static String token(String text) {
    boolean hex =
        text.chars()
            .allMatch(
                c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
    if (text.length() != 64 || !hex) {
      throw new IllegalArgumentException(
          "token_sha256 must be 64 hex digits, the SHA-256 of the token; these are "
              + text.length()
              + (hex ? "" : " characters, not all of them hex digits"));
    }
    return text;
  }

  private static Optional<Limit> limit(MapReader fields) {
    Optional<TreeNode> node = fields.node("limit");
    if (node.isPresent() && !isOneLimit(node.get())) {
      fields
          .location()
          .error(
              node.get().line(),
              "limit must be such as 100/min or a map, not " + node.get().what());
      return Optional.empty();
    }
    Optional<Limit> limit =
        node.flatMap(n -> LimitReader.read(fields.location(), n))
            .map(LimitReader.LocatedLimit::limit);
    if (limit.isPresent() && limit.get().kind() == LimitKind.CONCURRENCY) {
      fields
          .location()
          .error(fields.line("limit"), "a bypass needs a rate; concurrency would not bound it");
      return Optional.empty();
    }
    return limit;
  }

  private static boolean isOneLimit(TreeNode node) {
    return node instanceof TreeNode.Mapping
        || (node instanceof TreeNode.Scalar word && !RuleReader.isAlone(word.text()));
  }
}

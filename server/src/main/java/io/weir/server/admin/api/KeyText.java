package io.weir.server.admin.api;

import io.vertx.core.json.JsonArray;
import io.weir.control.store.KeyRef;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keys as operators write them. The label of a stored key is its values, percent-encoded and joined
 * with commas.
 */
final class KeyText {
  /** A dimension of a key with its value. */
  record Part(String name, String value) {}

  private KeyText() {}

  /** A key that an operator typed, with its values as label. */
  static KeyRef typed(List<String> values) {
    return KeyRef.of(values).withLabel(label(values));
  }

  private static String label(List<String> values) {
    return values.stream()
        .map(value -> URLEncoder.encode(value, StandardCharsets.UTF_8))
        .collect(Collectors.joining(","));
  }

  /** The values of a stored key for those who may see them; null otherwise. */
  static @Nullable JsonArray shown(KeyRef key, boolean seesKeys) {
    return key.label().filter(label -> seesKeys).map(KeyText::values).orElse(null);
  }

  private static JsonArray values(String label) {
    JsonArray values = new JsonArray();
    if (!label.isEmpty()) {
      for (String part : label.split(",", -1)) {
        values.add(URLDecoder.decode(part, StandardCharsets.UTF_8));
      }
    }
    return values;
  }

  /** Reads {@code name=value[,name=value]} with percent-encoded values. */
  static List<Part> parse(String text) {
    List<Part> parts = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      if (equals <= 0) {
        throw ApiProblemException.badField("key", "key must be name=value[,name=value]");
      }
      parts.add(
          new Part(part.substring(0, equals), ApiRoute.decode("key", part.substring(equals + 1))));
    }
    return parts;
  }

  /** The rule in force with this id, which must have a key of as many values. */
  static Rule requireRule(RuleSet rules, String id, List<String> values) {
    Rule rule =
        rules
            .rule(id)
            .orElseThrow(
                () ->
                    ApiProblemException.badField(
                        "rule", "no rule in force has the id '" + id + "'"));
    if (rule.key().size() != values.size()) {
      throw ApiProblemException.badField(
          "key",
          "the key of the rule '" + id + "' has " + rule.key().size() + " values: " + rule.key());
    }
    return rule;
  }

  /** As {@link #requireRule}, unless the request is about all rules. */
  static void requireRule(RuleSet rules, Optional<String> id, List<String> values) {
    id.ifPresent(it -> requireRule(rules, it, values));
  }
}

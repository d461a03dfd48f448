package io.weir.server.admin.api;

import io.vertx.core.json.JsonObject;
import io.weir.rules.Problem;
import io.weir.rules.RuleDocuments;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/** A tenant's own numbers, checked by the reader of rule documents. */
final class TenantNumbers {
  static final List<String> NAMES = List.of("rate", "burst", "quota", "concurrency");
  private static final Set<String> WHOLE = Set.of("burst", "concurrency");

  /** Most rows of an import repeat the numbers of others. */
  private final Map<SortedMap<String, String>, Optional<String>> checked = new HashMap<>();

  /** Why these numbers are invalid; empty if they are not. */
  Optional<String> problem(SortedMap<String, String> numbers) {
    return numbers.isEmpty()
        ? Optional.empty()
        : checked.computeIfAbsent(numbers, TenantNumbers::check);
  }

  private static Optional<String> check(SortedMap<String, String> numbers) {
    JsonObject tenant = new JsonObject().put("tier", "tier");
    numbers.forEach((name, text) -> tenant.put(name, value(name, text)));
    JsonObject tier =
        new JsonObject().put("rate", "1/s").put("quota", "1/day").put("concurrency", 1);
    JsonObject document =
        new JsonObject()
            .put("version", 1)
            .put("tiers", new JsonObject().put("tier", tier))
            .put("tenants", new JsonObject().put("tenant", tenant))
            .put("rules", List.of());
    return RuleDocuments.parse("tenant.json", document.encode()).errors().stream()
        .map(Problem::reason)
        .findFirst();
  }

  /** A whole number where the text is one, so that both forms read alike. */
  static Object value(String name, String text) {
    return WHOLE.contains(name) && text.matches("[0-9]{1,18}") ? Long.valueOf(text) : text;
  }
}

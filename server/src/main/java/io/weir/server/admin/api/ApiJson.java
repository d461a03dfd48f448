package io.weir.server.admin.api;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.control.store.Rollout;
import io.weir.rules.Problem;
import io.weir.rules.diff.RuleChange;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** JSON that several routes write. */
final class ApiJson {
  private ApiJson() {}

  static <T> JsonArray list(Collection<T> items, Function<T, ?> each) {
    JsonArray array = new JsonArray();
    items.forEach(item -> array.add(each.apply(item)));
    return array;
  }

  /**
   * A page of a list.
   *
   * @param found up to one more than the page has, which shows that there is a next page
   * @param cursor the cursor after an item
   */
  static <T> JsonObject page(
      List<T> found, int size, Function<T, JsonObject> each, Function<T, String> cursor) {
    boolean more = found.size() > size;
    List<T> shown = more ? found.subList(0, size) : found;
    return new JsonObject()
        .put("items", list(shown, each))
        .put("next", more ? cursor.apply(shown.get(size - 1)) : null);
  }

  static @Nullable String time(Optional<Instant> moment) {
    return moment.map(Instant::toString).orElse(null);
  }

  static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** JSON as it is stored; null if there is none. */
  static @Nullable Object stored(String json) {
    if (json.isEmpty()) {
      return null;
    }
    try {
      return Json.decodeValue(json);
    } catch (DecodeException e) {
      return new JsonObject().put("text", json);
    }
  }

  static JsonObject rollout(Rollout it) {
    return new JsonObject()
        .put("id", it.id())
        .put("from", it.from())
        .put("to", it.to())
        .put("plan", it.plan())
        .put("step", it.step())
        .put("state", word(it.state()))
        .put("reason", it.reason())
        .put("evidence", stored(it.evidence()))
        .put("started", it.started().toString())
        .put("entered", it.entered().toString());
  }

  static JsonObject change(RuleChange it) {
    return new JsonObject()
        .put("kind", word(it.kind()))
        .put("subject", it.subject())
        .put("text", it.text());
  }

  static JsonObject problem(Problem it) {
    return new JsonObject()
        .put("severity", word(it.severity()))
        .put("file", it.file())
        .put("line", it.line())
        .put("reason", it.reason());
  }
}

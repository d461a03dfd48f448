package io.weir.control.whatif;

import io.weir.Call;
import io.weir.Decision;
import io.weir.rule.Cost;
import io.weir.rule.Match;
import io.weir.rule.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Turns calls into {@link RecordedCall}s. Host labels, path segments and attribute values become
 * hashes; a replay translates back only those that its rules name. Attributes that a rule in force
 * takes as cost stay numbers, unless they identify the caller. Bypass tokens are left out.
 */
final class CallEncoder {
  /** Shapes kept at once. Callers choose methods and, with the check API, names of attributes. */
  private static final int MAX_SHAPES = 4096;

  private static final Set<String> IDENTITY = Set.of("user", "api_key", "tenant", "ip");
  private static final String BYPASS = "bypass";
  private static final int MAX_DIGITS = 16;

  private final ValueHash hash;
  private final Map<CallShape, CallShape> shapes = new ConcurrentHashMap<>();
  private volatile Set<String> costs = Set.of();

  CallEncoder(ValueHash hash) {
    this.hash = hash;
  }

  /** The rules in force, whose cost attributes are recorded as numbers. */
  void rules(RuleSet rules) {
    costs = Set.copyOf(costAttributes(rules));
  }

  /** The attributes that rules take as cost. */
  static Set<String> costAttributes(RuleSet rules) {
    Set<String> names = new LinkedHashSet<>();
    rules
        .rules()
        .forEach(
            rule -> {
              if (rule.cost() instanceof Cost.FromAttribute from
                  && !IDENTITY.contains(from.attribute())) {
                names.add(from.attribute());
              }
            });
    return names;
  }

  /** The caller: the first present of user, api_key, tenant and ip, else the first attribute. */
  static String callerOf(Call call) {
    String caller = call.attribute("user");
    if (caller == null) {
      caller = call.attribute("api_key");
    }
    if (caller == null) {
      caller = call.attribute("tenant");
    }
    if (caller == null) {
      caller = call.attribute("ip");
    }
    return caller == null ? otherCaller(call) : caller;
  }

  private static String otherCaller(Call call) {
    for (Map.Entry<String, String> entry : call.attributes().entrySet()) {
      if (!entry.getValue().isEmpty() && !entry.getKey().equals(BYPASS)) {
        return entry.getValue();
      }
    }
    return "";
  }

  /** The call as it is recorded; empty if it has too many parts, or too many shapes are known. */
  Optional<RecordedCall> encode(
      long at, int position, String caller, Call call, Decision decision) {
    String host = Match.hostOf(call);
    String path = call.normalPath();
    Map<String, String> attributes = call.attributes();
    int labels = parts(host, '.', 0);
    int segments = parts(path, '/', 1);
    if (labels + segments + attributes.size() > CallShape.MAX_WORDS
        || call.method().length() > CallShape.MAX_NAME) {
      return Optional.empty();
    }
    long[] words = new long[labels + segments + attributes.size()];
    hashParts(host, '.', 0, words, 0);
    hashParts(path, '/', 1, words, labels);
    List<CallShape.Attribute> kept = new ArrayList<>(attributes.size());
    for (Map.Entry<String, String> entry : attributes.entrySet()) {
      String name = entry.getKey();
      String text = entry.getValue();
      if (name.length() > CallShape.MAX_NAME) {
        return Optional.empty();
      }
      if (!text.isEmpty() && !name.equals(BYPASS)) {
        boolean cost = costs.contains(name) && isNumber(text);
        words[labels + segments + kept.size()] = cost ? Long.parseLong(text) : hash.of(text);
        kept.add(new CallShape.Attribute(name, cost));
      }
    }
    CallShape shape = shared(new CallShape(call.method(), labels, segments, kept));
    return shape == null
        ? Optional.empty()
        : Optional.of(
            new RecordedCall(
                at,
                position,
                hash.of(caller),
                shape,
                words.length == shape.words() ? words : Arrays.copyOf(words, shape.words()),
                call.cost(),
                RecordedOutcome.of(decision)));
  }

  private @Nullable CallShape shared(CallShape made) {
    CallShape known = shapes.get(made);
    if (known != null || shapes.size() >= MAX_SHAPES) {
      return known;
    }
    CallShape earlier = shapes.putIfAbsent(made, made);
    return earlier == null ? made : earlier;
  }

  private static boolean isNumber(String text) {
    return text.length() <= MAX_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /** The number of parts of a text; an empty text has none. */
  private static int parts(String text, char separator, int from) {
    int parts = text.length() > from ? 1 : 0;
    for (int i = from; i < text.length() - 1; i++) {
      parts += text.charAt(i) == separator ? 1 : 0;
    }
    return parts;
  }

  private void hashParts(String text, char separator, int from, long[] words, int first) {
    int next = first;
    int start = from;
    while (start < text.length()) {
      int end = text.indexOf(separator, start);
      end = end < 0 ? text.length() : end;
      words[next++] = hash.of(text, start, end);
      start = end + 1;
    }
  }
}

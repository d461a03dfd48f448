package io.weir.cli;

import io.weir.Call;
import io.weir.Limit;
import io.weir.LimitKind;
import io.weir.Mode;
import io.weir.cli.output.JsonMap;
import io.weir.rule.Cost;
import io.weir.rule.Match;
import io.weir.rule.PathPattern;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.index.RuleIndex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A call that matches some rule, shown at startup to try out.
 *
 * @param refusedSoon whether repeating it by hand exceeds the limit
 */
record ExampleCall(
    String method, String path, String host, Map<String, String> attributes, boolean refusedSoon) {
  /**
   * Largest limit that a user can exceed by hand; it must also refill slowly enough, see {@link
   * #MIN_PER_CALL}.
   */
  private static final long MAX_CALLS_BY_HAND = 20;

  private static final Duration MIN_PER_CALL = Duration.ofSeconds(1);
  private static final String ADDRESS = "198.51.100.7";
  private static final int MAX_RULES = 100;

  /** A call for {@code /v1/check}; empty if no rule limits any call. */
  static Optional<ExampleCall> toAskAbout(RuleSet rules) {
    return best(rules, false);
  }

  /** A harmless request through the gateway, with attributes that a client can send. */
  static Optional<ExampleCall> toSend(RuleSet rules) {
    return best(rules, true);
  }

  private static Optional<ExampleCall> best(RuleSet rules, boolean sent) {
    RuleIndex index = RuleIndex.of(rules);
    List<ExampleCall> found = new ArrayList<>();
    rules.rules().stream()
        .filter(rule -> rule.mode() == Mode.ENFORCE && rule.percent() == 100)
        .filter(rule -> !rule.options().marks() && rule.options().expires().isEmpty())
        .filter(rule -> !(rule.limits() instanceof RuleLimits.Unlimited))
        .limit(MAX_RULES)
        .forEach(
            rule -> of(rule, sent).filter(one -> one.meets(rule, index)).ifPresent(found::add));
    return found.stream().min(Comparator.comparing(one -> !one.refusedSoon));
  }

  private static Optional<ExampleCall> of(Rule rule, boolean sent) {
    Match match = rule.match();
    boolean read = match.methods().isEmpty() || match.methods().contains("GET");
    Map<String, String> attributes = new LinkedHashMap<>();
    for (String part : rule.key()) {
      switch (part) {
        case "ip" -> attributes.put(part, ADDRESS);
        case "method", "path", "route", "host" -> {}
        default -> attributes.put(part, "42");
      }
    }
    new TreeMap<>(match.attributes())
        .forEach((name, values) -> attributes.put(name, new TreeSet<>(values).first()));
    if (sent) {
      attributes.keySet().removeIf(name -> !name.startsWith("header."));
      attributes.put("ip", "127.0.0.1");
    }
    return sent && !read
        ? Optional.empty()
        : Optional.of(
            new ExampleCall(
                read ? "GET" : new TreeSet<>(match.methods()).first(),
                match.paths().isEmpty() ? "/" : path(match.paths().get(0)),
                match.hosts().isEmpty() ? "" : host(new TreeSet<>(match.hosts()).first()),
                attributes,
                isMetByHand(rule)));
  }

  private static String path(PathPattern pattern) {
    StringBuilder path = new StringBuilder();
    pattern.segments().forEach(one -> path.append('/').append(one.any() ? "1" : one.literal()));
    return path.isEmpty() ? "/" : path.toString();
  }

  private static String host(String pattern) {
    return pattern.startsWith("*.") ? "www" + pattern.substring(1) : pattern;
  }

  private static boolean isMetByHand(Rule rule) {
    return rule.cost() instanceof Cost.Fixed
        && rule.limits() instanceof RuleLimits.Listed listed
        && listed.limits().stream().anyMatch(ExampleCall::isMetByHand);
  }

  private static boolean isMetByHand(Limit limit) {
    long capacity = limit.capacity();
    return limit.kind() != LimitKind.CONCURRENCY
        && capacity <= MAX_CALLS_BY_HAND
        && (capacity == 0 || limit.window().dividedBy(capacity).compareTo(MIN_PER_CALL) >= 0);
  }

  private boolean meets(Rule rule, RuleIndex index) {
    return index.explain(call()).stream()
        .anyMatch(note -> note.rule().equals(rule.id()) && note.applies());
  }

  private Call call() {
    return Call.of(method, path).host(host).with(attributes);
  }

  /** The JSON body of the check. */
  JsonMap body() {
    JsonMap body = new JsonMap().put("method", method).put("path", path);
    if (!host.isEmpty()) {
      body.put("host", host);
    }
    JsonMap known = new JsonMap();
    attributes.forEach(known::put);
    return attributes.isEmpty() ? body : body.put("attributes", known);
  }
}

package io.weir.rules;

import io.weir.Mode;
import io.weir.rule.Cost;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rules.text.Messages;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The attributes that calls can carry. A service that calls the check API may send any attribute; a
 * front end that sees real requests, such as the gateway, has only those that its identity settings
 * provide.
 */
public final class AttributeSource {
  /** Calls by services, which can have any attribute. */
  public static final AttributeSource ANY = new AttributeSource("", Optional.empty());

  private static final int MAX_NAMED = 5;

  private final String requests;
  private final Optional<Set<String>> names;

  private AttributeSource(String requests, Optional<Set<String>> names) {
    this.requests = requests;
    this.names = names;
  }

  /**
   * Requests that have their headers and the given attributes, and no others.
   *
   * @param requests how messages name these requests, such as {@code requests to the gateway}
   * @param names attributes that identity provides, such as {@code ip} and {@code user}
   */
  public static AttributeSource only(String requests, Set<String> names) {
    return new AttributeSource(requests, Optional.of(new TreeSet<>(names)));
  }

  /**
   * Messages about attributes that rules use and these calls never carry; one line for each name.
   */
  public List<String> missing(List<Rule> rules) {
    return gaps(rules).stream().map(gap -> "rule " + gap.rule() + ": " + gap.reason()).toList();
  }

  /**
   * An attribute that rules use and calls never carry.
   *
   * @param rule the first rule that uses it
   * @param field the field of that rule
   */
  public record MissingAttribute(String rule, String field, String reason) {}

  public List<MissingAttribute> gaps(List<Rule> rules) {
    if (names.isEmpty()) {
      return List.of();
    }
    Map<String, List<String>> keys = new LinkedHashMap<>();
    Map<String, List<String>> matches = new LinkedHashMap<>();
    Map<String, List<String>> costs = new LinkedHashMap<>();
    List<String> tiers = new ArrayList<>();
    for (Rule rule : rules) {
      if (rule.mode() == Mode.OFF) {
        continue;
      }
      rule.key().stream().filter(this::lacksPart).forEach(name -> add(keys, name, rule));
      rule.match().attributes().keySet().stream()
          .sorted()
          .filter(this::lacks)
          .forEach(name -> add(matches, name, rule));
      if (rule.cost() instanceof Cost.FromAttribute cost && lacks(cost.attribute())) {
        add(costs, cost.attribute(), rule);
      }
      if (rule.limits() instanceof RuleLimits.OfTier
          && !rule.key().contains("tenant")
          && lacks("tenant")) {
        tiers.add(rule.id());
      }
    }
    List<MissingAttribute> gaps = new ArrayList<>();
    keys.forEach((name, ids) -> gaps.add(gap(ids, "key", "key", name, "on_missing decides")));
    matches.forEach(
        (name, ids) -> gaps.add(gap(ids, "match", "match.attributes", name, "never matches")));
    costs.forEach(
        (name, ids) -> gaps.add(gap(ids, "cost", "cost.attribute", name, "the default counts")));
    if (!tiers.isEmpty()) {
      gaps.add(gap(tiers, "limit", "limit: tier", "tenant", "everyone has the plan of \"*\""));
    }
    return gaps;
  }

  private static void add(Map<String, List<String>> byName, String name, Rule rule) {
    byName.computeIfAbsent(name, unused -> new ArrayList<>()).add(rule.id());
  }

  private boolean lacksPart(String name) {
    return !AttributeNames.OF_REQUESTS.contains(name) && lacks(name);
  }

  private boolean lacks(String name) {
    return !names.orElseThrow().contains(name)
        && !name.startsWith("header.")
        && !name.equals("bypass")
        && AttributeNames.suggestionFor(name).isEmpty();
  }

  private MissingAttribute gap(
      List<String> ids, String field, String what, String name, String effect) {
    List<String> others = ids.subList(1, ids.size());
    List<String> shown = new ArrayList<>(others.subList(0, Math.min(MAX_NAMED, others.size())));
    if (shown.size() < others.size()) {
      shown.add(others.size() - shown.size() + " more");
    }
    return new MissingAttribute(
        ids.get(0),
        field,
        "%s names %s, which %s never have, as identity gives only %s: %s%s"
            .formatted(
                what,
                name,
                requests,
                Messages.list(names.orElseThrow()),
                effect,
                others.isEmpty() ? "" : "; the same for " + Messages.list(shown)));
  }
}

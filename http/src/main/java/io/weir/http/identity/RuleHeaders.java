package io.weir.http.identity;

import io.weir.Call;
import io.weir.http.RequestHead;
import io.weir.rule.Cost;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The headers that rules use as {@code header.NAME}; no other header becomes an attribute. */
public final class RuleHeaders {
  private static final String PREFIX = "header.";

  private record HeaderAttribute(String attribute, String header) {}

  private final List<HeaderAttribute> wanted;

  private RuleHeaders(List<HeaderAttribute> wanted) {
    this.wanted = wanted;
  }

  /** The headers that these rules use in keys, matches and costs. */
  public static RuleHeaders of(RuleSet rules) {
    Set<String> names = new LinkedHashSet<>();
    for (Rule rule : rules.rules()) {
      names.addAll(rule.key());
      collect(rule.match(), names);
      rule.except().ifPresent(except -> collect(except, names));
      if (rule.cost() instanceof Cost.FromAttribute cost) {
        names.add(cost.attribute());
      }
    }
    return new RuleHeaders(
        names.stream()
            .filter(name -> name.startsWith(PREFIX))
            .map(name -> new HeaderAttribute(name, lower(name.substring(PREFIX.length()))))
            .toList());
  }

  private static void collect(Match match, Set<String> names) {
    names.addAll(match.attributes().keySet());
    names.addAll(match.absent());
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** Adds those headers that the request has; several lines of one header are joined by commas. */
  Call addTo(Call call, RequestHead head) {
    Call more = call;
    for (HeaderAttribute one : wanted) {
      List<String> lines = head.headers(one.header);
      if (!lines.isEmpty()) {
        more = more.with(one.attribute, String.join(",", lines));
      }
    }
    return more;
  }
}

package io.weir.rules.read;

import io.weir.rule.Cost;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rules.AttributeNames;
import io.weir.rules.AttributeSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Warns about attributes in rules that calls most likely do not carry. */
final class AttributeWarnings {
  /** Fields of a match by the names that are mistaken for attributes. */
  private static final Map<String, String> FIELDS =
      Map.of("method", "methods", "path", "path", "host", "hosts", "route", "path");

  private AttributeWarnings() {}

  /** Warns about names in a rule that look like misspelled built-in names. */
  static void warn(RuleDraft draft) {
    Rule rule = draft.rule().orElseThrow();
    rule.key().forEach(name -> slip(draft, "key", "key names " + name, name));
    match(draft, "match", rule.match());
    rule.except().ifPresent(except -> match(draft, "except", except));
    if (rule.cost() instanceof Cost.FromAttribute cost) {
      slip(draft, "cost", "cost.attribute names " + cost.attribute(), cost.attribute());
    }
  }

  private static void match(RuleDraft draft, String field, Match match) {
    for (String name : new TreeSet<>(match.attributes().keySet())) {
      attribute(draft, field, field + ".attributes", name);
    }
    for (String name : new TreeSet<>(match.absent())) {
      attribute(draft, field, field + ".absent", name);
    }
  }

  private static void attribute(RuleDraft draft, String field, String where, String name) {
    String names = where + " names " + name;
    if (FIELDS.containsKey(name)) {
      String instead = field + "." + FIELDS.get(name);
      warn(draft, field, names + ", which is not an attribute; use " + instead);
    } else {
      slip(draft, field, names, name);
    }
  }

  private static void slip(RuleDraft draft, String field, String names, String name) {
    AttributeNames.suggestionFor(name)
        .ifPresent(
            meant ->
                warn(
                    draft,
                    field,
                    names
                        + ", which calls have only if a service sends it; did you mean '"
                        + meant
                        + "'?"));
  }

  /** Warns about attributes that rules use and calls never carry. */
  static void warn(List<RuleDraft> drafts, AttributeSource source) {
    Map<String, RuleDraft> byId = new HashMap<>();
    drafts.forEach(draft -> byId.put(draft.id(), draft));
    List<Rule> rules = drafts.stream().map(draft -> draft.rule().orElseThrow()).toList();
    for (AttributeSource.MissingAttribute gap : source.gaps(rules)) {
      RuleDraft first = byId.get(gap.rule());
      if (first != null) {
        warn(first, gap.field(), gap.reason());
      }
    }
  }

  private static void warn(RuleDraft draft, String field, String reason) {
    draft.location().warning(draft.fields().line(field), reason);
  }
}

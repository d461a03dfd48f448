package io.weir.server.check;

import io.weir.Call;
import io.weir.Explanation;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.server.http.JsonWriter;
import java.util.Set;
import java.util.stream.Collectors;

/** Writes the explanation of a decision in the JSON format of the check API. */
public final class ExplanationWriter {
  private static final byte[] METHOD = JsonWriter.name("method");
  private static final byte[] PATH = JsonWriter.name("path");
  private static final byte[] NORMAL_PATH = JsonWriter.name("normal_path");
  private static final byte[] RULES = JsonWriter.name("rules");
  private static final byte[] ID = JsonWriter.name("id");
  private static final byte[] APPLIES = JsonWriter.name("applies");
  private static final byte[] WHY = JsonWriter.name("why");
  private static final byte[] KEY = JsonWriter.name("key");
  private static final byte[] LIMITS = JsonWriter.name("limits");
  private static final byte[] LIMIT = JsonWriter.name("limit");
  private static final byte[] AMOUNT = JsonWriter.name("amount");
  private static final byte[] ARITHMETIC = JsonWriter.name("arithmetic");
  private static final byte[] STANDING = JsonWriter.name("standing");
  private static final byte[] DECISION = JsonWriter.name("decision");

  private ExplanationWriter() {}

  /** Writes an explanation with all rules, for operators. */
  public static void write(JsonWriter out, Call call, Explanation explanation) {
    write(out, call, explanation, RuleSet.EMPTY);
  }

  /**
   * Writes what a caller may know of an explanation.
   *
   * @param rules the rules in force, some of which callers may not see
   */
  static void writeVisible(JsonWriter out, Call call, Explanation explanation, RuleSet rules) {
    write(out, call, explanation, rules);
  }

  private static void write(JsonWriter out, Call call, Explanation explanation, RuleSet rules) {
    Set<String> hidden =
        rules.rules().stream()
            .filter(rule -> rule.options().hidden())
            .map(Rule::id)
            .collect(Collectors.toSet());
    out.open();
    out.field(METHOD).text(call.method());
    out.field(PATH).text(call.path());
    out.field(NORMAL_PATH).text(explanation.normalPath());
    out.field(RULES).openList();
    for (Explanation.RuleCheck rule : explanation.rules()) {
      if (hidden.contains(rule.rule())) {
        continue;
      }
      out.open();
      out.field(ID).text(rule.rule());
      out.field(APPLIES).flag(rule.applies());
      out.field(WHY).text(rule.why());
      out.field(KEY).text(rule.applies() ? rule.key() : null);
      out.close();
    }
    out.closeList();
    out.field(LIMITS).openList();
    for (Explanation.LimitCheck limit : explanation.limits()) {
      if (hidden.contains(limit.status().rule())) {
        continue;
      }
      out.open();
      out.field(ID).text(limit.status().rule());
      out.field(LIMIT).text(limit.status().limit().toString());
      out.field(KEY).text(limit.key());
      out.field(AMOUNT).number(limit.amount());
      out.field(ARITHMETIC).text(limit.arithmetic());
      out.field(STANDING);
      DecisionWriter.entry(out, limit.status());
      out.close();
    }
    out.closeList();
    out.field(DECISION);
    if (hidden.isEmpty()) {
      DecisionWriter.write(out, explanation.decision());
    } else {
      DecisionWriter.writeVisible(out, explanation.decision(), rules);
    }
    out.close();
  }
}

package io.weir.server.check;

import io.weir.Call;
import io.weir.Explanation;
import io.weir.server.http.JsonWriter;

/** Writes how a call would be decided, and why. */
final class ExplanationWriter {
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

  static void write(JsonWriter out, Call call, Explanation explanation) {
    out.open();
    out.field(METHOD).text(call.method());
    out.field(PATH).text(call.path());
    out.field(NORMAL_PATH).text(explanation.normalPath());
    out.field(RULES).openList();
    for (Explanation.RuleCheck note : explanation.rules()) {
      out.open();
      out.field(ID).text(note.rule());
      out.field(APPLIES).flag(note.applies());
      out.field(WHY).text(note.why());
      out.field(KEY).text(note.applies() ? note.key() : null);
      out.close();
    }
    out.closeList();
    out.field(LIMITS).openList();
    for (Explanation.LimitCheck asked : explanation.limits()) {
      out.open();
      out.field(ID).text(asked.status().rule());
      out.field(LIMIT).text(asked.status().limit().toString());
      out.field(KEY).text(asked.key());
      out.field(AMOUNT).number(asked.amount());
      out.field(ARITHMETIC).text(asked.arithmetic());
      out.field(STANDING);
      DecisionWriter.entry(out, asked.status());
      out.close();
    }
    out.closeList();
    out.field(DECISION);
    DecisionWriter.write(out, explanation.decision());
    out.close();
  }
}

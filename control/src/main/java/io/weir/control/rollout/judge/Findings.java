package io.weir.control.rollout.judge;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.weir.control.rollout.evidence.EvidenceWindow;
import io.weir.control.rollout.evidence.KeyCounts;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What the judge found, rule by rule; kept with the rollout as JSON.
 *
 * @param notes what the findings do not cover, for people
 */
public record Findings(Expectation expectation, List<RuleFinding> rules, List<String> notes) {
  private static final JsonFactory JSON = new JsonFactory();

  public Findings {
    rules = List.copyOf(rules);
    notes = List.copyOf(notes);
  }

  /** The rule that is furthest above its threshold; empty if no rule has evidence. */
  public Optional<RuleFinding> worst() {
    return rules.stream()
        .filter(it -> it.activeKeys() > 0)
        .max(
            Comparator.comparingDouble(RuleFinding::severity)
                .thenComparingLong(RuleFinding::newlyRefusedKeys));
  }

  /** One line for people. */
  public String summary() {
    return worst().map(RuleFinding::summary).orElse("no calls to judge by");
  }

  /** As kept with the rollout. */
  public String toJson() {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartObject();
      json.writeStringField("summary", summary());
      json.writeStringField("expected", Percentage.print(expectation.refusedKeys()));
      json.writeNumberField("window_s", EvidenceWindow.WINDOW.toSeconds());
      json.writeArrayFieldStart("rules");
      for (RuleFinding rule : rules) {
        write(json, rule);
      }
      json.writeEndArray();
      json.writeArrayFieldStart("notes");
      for (String note : notes) {
        json.writeString(note);
      }
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toString();
  }

  private static void write(JsonGenerator json, RuleFinding it) throws IOException {
    json.writeStartObject();
    json.writeStringField("rule", it.rule());
    json.writeNumberField("active_keys", it.activeKeys());
    json.writeNumberField("expected_keys", it.expectedKeys());
    json.writeNumberField("newly_refused_keys", it.newlyRefusedKeys());
    json.writeNumberField("keys_refused_by_old", it.keysRefusedByOld());
    json.writeNumberField("calls", it.calls());
    json.writeNumberField("newly_refused_calls", it.newlyRefusedCalls());
    json.writeStringField("lower_bound", Percentage.print(it.lowerBound()));
    json.writeStringField("threshold", Percentage.print(it.threshold()));
    json.writeArrayFieldStart("top_keys");
    for (KeyCounts key : it.topKeys()) {
      json.writeStartObject();
      json.writeStringField("key", KeyCounts.hex(key.hash()));
      json.writeNumberField("calls", key.calls());
      json.writeNumberField("refused_by_old", key.refusedByOld());
      json.writeNumberField("refused_by_new", key.refusedByNew());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}

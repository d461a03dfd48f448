package io.weir.control.rollout.judge;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The share of keys that a change is expected to refuse newly. It is stored with the version as
 * JSON: {@code {"refused_keys":"2%","source":"stated"}}.
 *
 * @param refusedKeys 0 to 1
 * @param byRule shares that the what-if predicts for single rules; a rule is judged by the larger
 *     of its own and {@code refusedKeys}
 */
public record Expectation(double refusedKeys, Source source, SortedMap<String, Double> byRule) {
  /** Where an expectation comes from. */
  public enum Source {
    /** The author stated it. */
    STATED,
    /** The what-if predicts it. */
    PREDICTED,
    /** A rule file that was edited by hand. */
    FILE,
    /** A rollback to an earlier version. */
    ROLLBACK,
    /** No call was recorded, and nothing was stated. */
    NOTHING_RECORDED
  }

  /** No key is expected to be refused. */
  public static final Expectation NONE =
      new Expectation(0, Source.NOTHING_RECORDED, Collections.emptySortedMap());

  private static final JsonFactory JSON = new JsonFactory();
  private static final String REFUSED_KEYS = "refused_keys";
  private static final String SOURCE = "source";
  private static final String BY_RULE = "by_rule";

  /** Half a percentage point above the expectation is never harm. */
  private static final double LEAST_MARGIN = 0.005;

  public Expectation {
    byRule = Collections.unmodifiableSortedMap(new TreeMap<>(byRule));
  }

  static Expectation of(double refusedKeys, Source source) {
    return new Expectation(refusedKeys, source, Collections.emptySortedMap());
  }

  static Expectation of(Prediction prediction) {
    return new Expectation(prediction.share(), Source.PREDICTED, prediction.peaks());
  }

  /** What is expected of one rule. */
  public double of(String rule) {
    return Math.max(refusedKeys, byRule.getOrDefault(rule, 0.0));
  }

  /** The share of newly refused keys of a rule above which it is rolled back. */
  public double threshold(String rule) {
    double expected = of(rule);
    return Math.max(2 * expected, expected + LEAST_MARGIN);
  }

  /** As stored with the version. */
  public String toJson() {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartObject();
      json.writeStringField(REFUSED_KEYS, Percentage.print(refusedKeys));
      json.writeStringField(SOURCE, source.name().toLowerCase(Locale.ROOT));
      if (!byRule.isEmpty()) {
        json.writeObjectFieldStart(BY_RULE);
        for (Map.Entry<String, Double> it : byRule.entrySet()) {
          json.writeStringField(it.getKey(), Percentage.print(it.getValue()));
        }
        json.writeEndObject();
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toString();
  }

  /**
   * Reads a stored expectation; an empty text is {@link #NONE}, and a bare percentage is stated.
   *
   * @throws IllegalArgumentException if it is neither
   */
  public static Expectation read(String text) {
    if (text.isBlank()) {
      return NONE;
    }
    if (!text.startsWith("{")) {
      return of(Percentage.parse(REFUSED_KEYS, text), Source.STATED);
    }
    try (JsonParser json = JSON.createParser(text)) {
      return read(json);
    } catch (IOException e) {
      throw new IllegalArgumentException("an expectation is not JSON: " + e.getMessage(), e);
    }
  }

  private static Expectation read(JsonParser json) throws IOException {
    double refusedKeys = 0;
    Source source = Source.STATED;
    SortedMap<String, Double> byRule = new TreeMap<>();
    int depth = 0;
    for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
      if (token == JsonToken.START_OBJECT) {
        depth++;
      } else if (token == JsonToken.END_OBJECT) {
        depth--;
      } else if (token == JsonToken.VALUE_STRING) {
        String name = json.currentName();
        if (depth > 1) {
          byRule.put(name, Percentage.parse(name, json.getText()));
        } else if (name.equals(REFUSED_KEYS)) {
          refusedKeys = Percentage.parse(name, json.getText());
        } else if (name.equals(SOURCE)) {
          source = Source.valueOf(json.getText().toUpperCase(Locale.ROOT));
        }
      }
    }
    return new Expectation(refusedKeys, source, byRule);
  }
}

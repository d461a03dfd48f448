package io.weir.control.whatif;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.weir.base.RateSyntax;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

/**
 * A limit suggested from recorded traffic.
 *
 * @param key the parts of the key
 * @param per the period that peaks were measured over
 * @param keys how many keys were seen
 * @param span how long the recording is
 * @param peaks of the highest cost within any period, per key
 * @param limit the suggested cost per period; 0 if there was no traffic
 * @param confidence the probability, from 0 to 1, that the highest peak seen covers at least 99% of
 *     all keys: 1 - 0.99<sup>keys</sup>, whatever the distribution
 */
public record Suggestion(
    List<String> key,
    Duration per,
    long keys,
    long calls,
    Duration span,
    Peaks peaks,
    long limit,
    double confidence,
    List<String> notes) {
  /** Quantiles over keys. */
  public record Peaks(long p50, long p90, long p99, long p999) {}

  /** The suggestion as a limit of the rule document, such as {@code 120/min}. */
  public String text() {
    return RateSyntax.printRate(limit, per);
  }

  /** The suggestion as a JSON object. */
  public String toJson() {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
      write(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toString();
  }

  private void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    writeTexts(json, "key", key);
    json.writeStringField("per", RateSyntax.print(per));
    json.writeNumberField("keys", keys);
    json.writeNumberField("calls", calls);
    json.writeNumberField("span_seconds", span.toMillis() / 1000.0);
    json.writeObjectFieldStart("peak");
    json.writeNumberField("p50", peaks.p50());
    json.writeNumberField("p90", peaks.p90());
    json.writeNumberField("p99", peaks.p99());
    json.writeNumberField("p99_9", peaks.p999());
    json.writeEndObject();
    if (limit > 0) {
      json.writeStringField("suggested", text());
    }
    json.writeNumberField("confidence", confidence);
    writeTexts(json, "notes", notes);
    json.writeEndObject();
  }

  private static void writeTexts(JsonGenerator json, String field, List<String> texts)
      throws IOException {
    json.writeArrayFieldStart(field);
    for (String text : texts) {
      json.writeString(text);
    }
    json.writeEndArray();
  }
}

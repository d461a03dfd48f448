package io.weir.control.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Named texts (documents by file name, numbers of a tenant) as one JSON object. */
public final class TextMapCodec {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .build();

  private static final String EMPTY = "{}";

  private TextMapCodec() {}

  /** The digest over names and texts, in the order of names. */
  public static String sha256(SortedMap<String, String> texts) {
    Digest digest = new Digest();
    texts.forEach((name, text) -> digest.add(name).add(text));
    return digest.hex();
  }

  /** The texts as a JSON object. */
  public static String write(SortedMap<String, String> texts) {
    if (texts.isEmpty()) {
      return EMPTY;
    }
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartObject();
      for (var entry : texts.entrySet()) {
        json.writeStringField(entry.getKey(), entry.getValue());
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toString();
  }

  /** The texts of a JSON object. */
  public static SortedMap<String, String> read(String text) {
    if (text.equals(EMPTY)) {
      return Collections.emptySortedMap();
    }
    SortedMap<String, String> texts = new TreeMap<>();
    try (JsonParser json = JSON.createParser(text)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token == JsonToken.VALUE_STRING) {
          texts.put(json.currentName(), json.getText());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Collections.unmodifiableSortedMap(texts);
  }
}

package io.weir.server.control;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Texts as a JSON array of bounded length that says how many were left out. */
final class TextList {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int MOST = 50;

  private TextList() {}

  /** The first texts, and how many more there are. */
  static List<String> bounded(List<String> texts) {
    if (texts.size() <= MOST) {
      return List.copyOf(texts);
    }
    List<String> some = new ArrayList<>(texts.subList(0, MOST));
    some.add("and " + (texts.size() - MOST) + " more");
    return some;
  }

  /** As JSON; empty for no text. */
  static String toJson(List<String> texts) {
    if (texts.isEmpty()) {
      return "";
    }
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartArray();
      for (String text : bounded(texts)) {
        json.writeString(text);
      }
      json.writeEndArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toString();
  }
}

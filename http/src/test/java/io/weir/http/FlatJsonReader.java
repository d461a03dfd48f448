package io.weir.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a flat JSON object strictly. */
final class FlatJsonReader {
  private FlatJsonReader() {}

  static Map<String, Object> read(String text) throws IOException {
    try (JsonParser in = new JsonFactory().createParser(text)) {
      Map<String, Object> map = new LinkedHashMap<>();
      in.nextToken();
      while (in.nextToken() != JsonToken.END_OBJECT) {
        String name = in.currentName();
        in.nextToken();
        map.put(name, value(in));
      }
      return map;
    }
  }

  private static Object value(JsonParser in) throws IOException {
    switch (in.currentToken()) {
      case VALUE_NULL:
        return null;
      case VALUE_NUMBER_INT:
        return in.getLongValue();
      case START_ARRAY:
        List<Object> list = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
          list.add(value(in));
        }
        return list;
      default:
        return in.getText();
    }
  }
}

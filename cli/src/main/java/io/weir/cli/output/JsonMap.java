package io.weir.cli.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A JSON object that commands send, receive and print. */
public final class JsonMap {
  private static final JsonFactory FACTORY = new JsonFactory();

  private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

  /**
   * Reads an object.
   *
   * @throws IOException if the text is not a JSON object
   */
  public static JsonMap parse(String text) throws IOException {
    try (JsonParser in = FACTORY.createParser(text)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("not a JSON object");
      }
      return map(in);
    }
  }

  private static JsonMap map(JsonParser in) throws IOException {
    JsonMap map = new JsonMap();
    for (String name = in.nextFieldName(); name != null; name = in.nextFieldName()) {
      in.nextToken();
      map.put(name, value(in));
    }
    return map;
  }

  private static @Nullable Object value(JsonParser in) throws IOException {
    return switch (in.currentToken()) {
      case START_OBJECT -> map(in);
      case START_ARRAY -> list(in);
      case VALUE_NULL -> null;
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NUMBER_INT -> in.getLongValue();
      case VALUE_NUMBER_FLOAT -> in.getDoubleValue();
      default -> in.getText();
    };
  }

  private static List<@Nullable Object> list(JsonParser in) throws IOException {
    List<@Nullable Object> list = new ArrayList<>();
    while (in.nextToken() != JsonToken.END_ARRAY) {
      list.add(value(in));
    }
    return list;
  }

  /** Adds a text, number, flag, object, list of objects, or null. */
  public JsonMap put(String name, @Nullable Object value) {
    fields.put(name, value);
    return this;
  }

  public boolean has(String name) {
    return fields.get(name) != null;
  }

  public String text(String name) {
    return (String) required(name);
  }

  public long number(String name) {
    return (Long) required(name);
  }

  public boolean flag(String name) {
    return (Boolean) required(name);
  }

  public JsonMap map(String name) {
    return (JsonMap) required(name);
  }

  /** The value in one line as a person reads it; a dash if there is none. */
  public String shown(String name) {
    Object value = fields.get(name);
    if (value instanceof JsonMap map) {
      return map.compact();
    }
    if (value instanceof List<?> list) {
      return list.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
    return value == null || value.equals("") ? "-" : value.toString();
  }

  /** The names of the fields, in order. */
  public Set<String> names() {
    return fields.keySet();
  }

  /** This object with these fields only, in this order; missing ones are null. */
  public JsonMap only(String... names) {
    JsonMap map = new JsonMap();
    for (String name : names) {
      map.put(name, fields.get(name));
    }
    return map;
  }

  /** The objects of a list. */
  public List<JsonMap> maps(String name) {
    return ((List<?>) required(name)).stream().map(JsonMap.class::cast).toList();
  }

  private Object required(String name) {
    return Objects.requireNonNull(fields.get(name), name);
  }

  /** The object in one line. */
  public String compact() {
    return write(false);
  }

  /** The object in several lines, indented. */
  public String pretty() {
    return write(true);
  }

  /** A list of objects in several lines, indented. */
  public static String pretty(List<JsonMap> list) {
    return write(true, list);
  }

  private String write(boolean pretty) {
    return write(pretty, this);
  }

  private static String write(boolean pretty, Object value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = FACTORY.createGenerator(text)) {
      if (pretty) {
        out.setPrettyPrinter(new DefaultPrettyPrinter());
      }
      write(out, value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void write(JsonGenerator out, @Nullable Object value) throws IOException {
    if (value instanceof JsonMap map) {
      out.writeStartObject();
      for (Map.Entry<String, @Nullable Object> field : map.fields.entrySet()) {
        out.writeFieldName(field.getKey());
        write(out, field.getValue());
      }
      out.writeEndObject();
    } else if (value instanceof List<?> list) {
      out.writeStartArray();
      for (Object item : list) {
        write(out, item);
      }
      out.writeEndArray();
    } else if (value instanceof Double number) {
      out.writeNumber(number);
    } else if (value instanceof Number number) {
      out.writeNumber(number.longValue());
    } else if (value instanceof Boolean flag) {
      out.writeBoolean(flag);
    } else if (value == null) {
      out.writeNull();
    } else {
      out.writeString(value.toString());
    }
  }
}

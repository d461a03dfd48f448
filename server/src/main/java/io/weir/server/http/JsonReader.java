package io.weir.server.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON of a request field by field without building a tree. It tracks its position, so
 * that errors name their field: {@code calls[3].cost}.
 */
public final class JsonReader {
  private static final int MAX_DEPTH = 8;
  private static final int MAX_FIELDS = 256;
  private static final int MAX_DETAIL = 200;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .disable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(Route.MAX_BODY)
                  .maxNameLength(1024)
                  .maxNumberLength(100)
                  .build())
          .build();

  /** Parses a body into a value. */
  public interface BodyParser<T> {
    T from(JsonReader body) throws IOException;
  }

  private final JsonParser parser;

  /** The names seen so far in all open objects, the outermost first. */
  private String[] names = new String[16];

  private int seen;

  /** Where the names of each open object start, and the list index of its latest field. */
  private final int[] start = new int[MAX_DEPTH];

  private final int[] item = new int[MAX_DEPTH];
  private int depth = -1;

  private JsonReader(JsonParser parser) {
    this.parser = parser;
  }

  /** Reads a body that is one JSON object. */
  public static <T> T read(byte[] bytes, BodyParser<T> reading) {
    if (bytes.length == 0) {
      throw HttpProblemException.badRequest("the body is empty; it must be a JSON object");
    }
    JsonReader body = null;
    try (JsonParser parser = FACTORY.createParser(bytes)) {
      body = new JsonReader(parser);
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw HttpProblemException.badRequest("the body must be a JSON object");
      }
      T value = reading.from(body);
      if (parser.nextToken() != null) {
        throw HttpProblemException.badRequest("there is text after the JSON object");
      }
      return value;
    } catch (StreamConstraintsException e) {
      throw notJson(body, "it is nested too deeply, or a name or number in it is too long");
    } catch (JsonProcessingException e) {
      throw notJson(body, where(e));
    } catch (IOException e) {
      throw notJson(body, String.valueOf(e.getMessage()));
    }
  }

  /** The position of a syntax error; the parser's own message is written for programmers. */
  private static String where(JsonProcessingException e) {
    JsonLocation at = e.getLocation();
    return at == null
        ? "it is not JSON"
        : "it stops being JSON at line " + at.getLineNr() + ", column " + at.getColumnNr();
  }

  private static HttpProblemException notJson(@Nullable JsonReader body, String problem) {
    String reason =
        problem.length() > MAX_DETAIL ? problem.substring(0, MAX_DETAIL) + "…" : problem;
    return HttpProblemException.badField(
        body == null ? "" : body.errorLocation(), "the body cannot be read as JSON: " + reason);
  }

  /**
   * The path of the field at a syntax error. The parser reads ahead, so it may be one field
   * further.
   */
  private String errorLocation() {
    try {
      String name = parser.currentName();
      if (name != null && depth >= 0 && (seen == start[depth] || !names[seen - 1].equals(name))) {
        push(name);
      }
    } catch (IOException e) {
      // then the path as known so far
    }
    return where();
  }

  /** Enters the object at the current position. */
  public void object() {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw invalid("must be an object");
    }
    depth++;
    start[depth] = seen;
    item[depth] = -1;
  }

  /** Moves to the value of the next field; at the end of the object leaves it and returns null. */
  public @Nullable String next() throws IOException {
    item[depth] = -1;
    String name = parser.nextFieldName();
    if (name == null) {
      seen = start[depth];
      depth--;
      return null;
    }
    for (int i = start[depth]; i < seen; i++) {
      if (names[i].equals(name)) {
        push(name);
        throw invalid("is duplicated");
      }
    }
    push(name);
    if (seen - start[depth] > MAX_FIELDS) {
      throw invalid("exceeds the maximum of " + MAX_FIELDS + " fields");
    }
    parser.nextToken();
    return name;
  }

  private void push(String name) {
    if (seen == names.length) {
      names = Arrays.copyOf(names, 2 * seen);
    }
    names[seen++] = name;
  }

  /** A string. */
  public String text() throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      throw invalid("must be a string");
    }
    return parser.getText();
  }

  /** A string, or a number or boolean as written. */
  public String scalarText() throws IOException {
    JsonToken token = parser.currentToken();
    if (token == null || !token.isScalarValue() || token == JsonToken.VALUE_NULL) {
      throw invalid("must be a string, a number, true or false");
    }
    return parser.getText();
  }

  /** A whole number between 0 and {@code most}, in integer notation: neither 1.0 nor 1e2. */
  public long wholeNumber(long most) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT
        && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
      long value = parser.getLongValue();
      if (value >= 0 && value <= most) {
        return value;
      }
    }
    throw invalid("must be a whole number between 0 and " + most);
  }

  /** Enters a list that is a field's value. */
  public void list() {
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      throw invalid("must be a list");
    }
  }

  /** Moves to the next item of the list; false at the end. */
  public boolean nextItem() throws IOException {
    item[depth]++;
    return parser.nextToken() != JsonToken.END_ARRAY;
  }

  /** The current field is unknown. */
  public HttpProblemException unknownField(List<String> known) {
    return invalid("is not a field of this request; known fields: " + String.join(", ", known));
  }

  /** The current field is invalid. */
  public HttpProblemException invalid(String problem) {
    String where = where();
    return HttpProblemException.badField(where, where + " " + problem);
  }

  private String where() {
    StringBuilder path = new StringBuilder();
    for (int level = 0; level <= depth; level++) {
      int end = level == depth ? seen : start[level + 1];
      if (end > start[level]) {
        path.append(path.isEmpty() ? "" : ".").append(names[end - 1]);
        if (item[level] >= 0) {
          path.append('[').append(item[level]).append(']');
        }
      }
    }
    return path.toString();
  }
}

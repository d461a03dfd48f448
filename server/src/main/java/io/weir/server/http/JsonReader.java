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
 * A request's JSON, read field by field without building a tree, that knows at every moment where
 * it is, so that whatever is wrong is reported by the name of its field: {@code calls[3].cost}.
 */
public final class JsonReader {
  private static final int DEEPEST = 8;
  private static final int MOST_FIELDS = 256;
  private static final int LONGEST_DETAIL = 200;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .disable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEEPEST)
                  .maxStringLength(BodyReader.MOST_BYTES)
                  .maxNameLength(1024)
                  .maxNumberLength(100)
                  .build())
          .build();

  /** Reads one thing from a body. */
  public interface BodyParser<T> {
    T from(JsonReader body) throws IOException;
  }

  private final JsonParser parser;

  /** The names seen so far in all objects that are open, the outermost first. */
  private String[] names = new String[16];

  private int seen;

  /** Where each open object's names begin, and which item of a list its latest field is at. */
  private final int[] start = new int[DEEPEST];

  private final int[] item = new int[DEEPEST];
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
        throw HttpProblemException.badRequest("there is more after the JSON object");
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

  /** What the parser says is for programmers; where it stopped helps anybody. */
  private static String where(JsonProcessingException e) {
    JsonLocation at = e.getLocation();
    return at == null
        ? "it is not JSON"
        : "it stops being JSON at line " + at.getLineNr() + ", column " + at.getColumnNr();
  }

  private static HttpProblemException notJson(@Nullable JsonReader body, String why) {
    String reason = why.length() > LONGEST_DETAIL ? why.substring(0, LONGEST_DETAIL) + "…" : why;
    return HttpProblemException.badField(
        body == null ? "" : body.whereItBroke(), "the body cannot be read as JSON: " + reason);
  }

  /** The parser reads a little ahead, so it may have met a field that we have not. */
  private String whereItBroke() {
    try {
      String name = parser.currentName();
      if (name != null && depth >= 0 && (seen == start[depth] || !names[seen - 1].equals(name))) {
        push(name);
      }
    } catch (IOException e) {
      // then what we know must do
    }
    return where();
  }

  /** Enters the object that stands here. */
  public void object() {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw wrong("must be an object");
    }
    depth++;
    start[depth] = seen;
    item[depth] = -1;
  }

  /** Moves to the next field of the object and on to its value; null, and out of it, at its end. */
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
        throw wrong("is there twice");
      }
    }
    push(name);
    if (seen - start[depth] > MOST_FIELDS) {
      throw wrong("comes after " + MOST_FIELDS + " others, and more are not taken");
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

  /** A text. */
  public String text() throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      throw wrong("must be a text");
    }
    return parser.getText();
  }

  /** A text, or a number or flag as it was written. */
  public String textOfAnything() throws IOException {
    JsonToken token = parser.currentToken();
    if (token == null || !token.isScalarValue() || token == JsonToken.VALUE_NULL) {
      throw wrong("must be a text, a number, true or false");
    }
    return parser.getText();
  }

  /** A whole number between 0 and {@code most}, written as one: neither 1.0 nor 1e2. */
  public long wholeNumber(long most) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT
        && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
      long value = parser.getLongValue();
      if (value >= 0 && value <= most) {
        return value;
      }
    }
    throw wrong("must be a whole number between 0 and " + most);
  }

  /** Begins a list that is a field's value. */
  public void list() {
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      throw wrong("must be a list");
    }
  }

  /** Moves to the next item of the list; false at its end. */
  public boolean nextItem() throws IOException {
    item[depth]++;
    return parser.nextToken() != JsonToken.END_ARRAY;
  }

  /** A field that nobody knows. */
  public HttpProblemException unknown(List<String> known) {
    return wrong("is not a field of this request; there are " + String.join(", ", known));
  }

  /** The field that was read last is wrong. */
  public HttpProblemException wrong(String why) {
    String where = where();
    return HttpProblemException.badField(where, where + " " + why);
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

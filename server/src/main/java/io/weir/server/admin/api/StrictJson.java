package io.weir.server.admin.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.weir.control.text.StorableText;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/**
 * Refuses bodies that readers could understand differently: duplicate names, text after the object,
 * deep nesting, and characters that the database cannot store.
 */
final class StrictJson {
  private static final int MAX_DEPTH = 16;
  private static final int MAX_NAMES = 20_000;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(ApiRoute.MAX_RULES)
                  .maxNameLength(1024)
                  .maxNumberLength(100)
                  .build())
          .build();

  private StrictJson() {}

  /** Passes if the body is one JSON object that every reader understands in the same way. */
  static void require(byte[] body) {
    if (body.length == 0) {
      throw ApiProblemException.badField("", "the body is empty; it must be a JSON object");
    }
    try (JsonParser parser = FACTORY.createParser(body)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw ApiProblemException.badField("", "the body must be a JSON object");
      }
      Set<String> seen = new HashSet<>();
      int depth = 1;
      while (depth > 0) {
        JsonToken token = parser.nextToken();
        if (token.isStructStart()) {
          depth++;
        } else if (token.isStructEnd()) {
          depth--;
        } else {
          check(parser, token, seen);
        }
      }
      if (parser.nextToken() != null) {
        throw ApiProblemException.badField("", "there is text after the JSON object");
      }
    } catch (StreamConstraintsException e) {
      throw ApiProblemException.badField(
          "", "the body is nested too deeply, or a name, text or number in it is too long");
    } catch (JsonProcessingException e) {
      throw ApiProblemException.badField(
          "",
          "the body stops being JSON at line "
              + e.getLocation().getLineNr()
              + ", column "
              + e.getLocation().getColumnNr());
    } catch (IOException e) {
      throw ApiProblemException.badField("", "the body cannot be read as JSON");
    }
  }

  private static void check(JsonParser parser, JsonToken token, Set<String> seen)
      throws IOException {
    String field = field(parser.getParsingContext());
    if (token == JsonToken.FIELD_NAME && (!seen.add(field) || seen.size() > MAX_NAMES)) {
      throw ApiProblemException.badField(field, field + " is duplicated, or there are too many");
    }
    if (token == JsonToken.VALUE_STRING || token == JsonToken.FIELD_NAME) {
      try {
        StorableText.require(field, parser.getText());
      } catch (IllegalArgumentException e) {
        throw ApiProblemException.badField(field, String.valueOf(e.getMessage()));
      }
    }
  }

  /** The path of the present value, such as {@code key[0]}. */
  private static String field(JsonStreamContext context) {
    if (context.inRoot()) {
      return "";
    }
    String outer = field(context.getParent());
    if (context.inArray()) {
      return outer + "[" + context.getCurrentIndex() + "]";
    }
    String name = String.valueOf(context.getCurrentName());
    return outer.isEmpty() ? name : outer + "." + name;
  }
}

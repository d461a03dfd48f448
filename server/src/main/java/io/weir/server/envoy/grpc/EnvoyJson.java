package io.weir.server.envoy.grpc;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** Reads requests and writes responses in the JSON form of Envoy's protocol. */
public final class EnvoyJson {
  private static final JsonFormat.Parser PARSER = JsonFormat.parser();
  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer().omittingInsignificantWhitespace();

  /** Digits of the largest number of any field. */
  private static final int MAX_NUMBER_LENGTH = 20;

  /** Fields that hold text; all other fields may hold a number in quotes. */
  private static final Set<String> TEXTS = Set.of("domain", "key", "value");

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(16)
                  .maxNameLength(1024)
                  .maxNumberLength(100)
                  .build())
          .build();

  private EnvoyJson() {}

  /**
   * Reads a request.
   *
   * @throws InvalidRequestException if it is not JSON, or has an unknown field
   */
  public static RateLimitRequest read(byte[] body) {
    checkNumbers(body);
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder();
    try {
      PARSER.merge(new String(body, StandardCharsets.UTF_8), request);
    } catch (InvalidProtocolBufferException | IllegalStateException e) {
      throw new InvalidRequestException("the body is not a RateLimitRequest in JSON: " + reason(e));
    }
    return request.build();
  }

  /**
   * Rejects numbers that are expensive to parse: protobuf's parser expands 1e50000000 to all its
   * digits before it finds that the number does not fit.
   */
  private static void checkNumbers(byte[] body) {
    try (JsonParser parser = FACTORY.createParser(body)) {
      for (JsonToken at = parser.nextToken(); at != null; at = parser.nextToken()) {
        boolean number = at.isNumeric();
        boolean quoted =
            at == JsonToken.VALUE_STRING && !TEXTS.contains(String.valueOf(parser.currentName()));
        if (number || quoted) {
          checkNumber(parser.getText());
        }
      }
    } catch (IOException e) {
      throw new InvalidRequestException(
          "the body is not a RateLimitRequest in JSON: it is not JSON");
    }
  }

  private static void checkNumber(String text) {
    boolean digits = false;
    boolean exponent = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      digits |= Character.isDigit(c);
      exponent |= c == 'e' || c == 'E';
    }
    if (digits && (exponent || text.length() > MAX_NUMBER_LENGTH)) {
      throw new InvalidRequestException(
          "the body is not a RateLimitRequest in JSON: a number in it is too long, or has an"
              + " exponent");
    }
  }

  /** The message without the class name of the exception. */
  private static String reason(Exception e) {
    return String.valueOf(e.getMessage()).replaceFirst("^[A-Za-z.]*Exception: ", "");
  }

  /** Writes a response; fields that are zero are left out. */
  public static String write(RateLimitResponse answer) {
    try {
      return PRINTER.print(answer);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }
}

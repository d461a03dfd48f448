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

/** Requests and answers in the JSON form of Envoy's protocol. */
public final class EnvoyJson {
  private static final JsonFormat.Parser PARSER = JsonFormat.parser();
  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer().omittingInsignificantWhitespace();

  /** As many digits as the largest number of any field has. */
  private static final int LONGEST_NUMBER = 20;

  /** The fields that hold text; in all others a number may stand in quotes. */
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
   * @throws InvalidRequestException if it is not JSON, or has a field that requests do not have
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
   * Turns down numbers that are long to compute: the parser of protobuf writes 1e50000000 out
   * before it finds that it does not fit.
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
    if (digits && (exponent || text.length() > LONGEST_NUMBER)) {
      throw new InvalidRequestException(
          "the body is not a RateLimitRequest in JSON: a number in it is too long, or has an"
              + " exponent");
    }
  }

  /** Without the names of our classes, which say nothing to a caller. */
  private static String reason(Exception e) {
    return String.valueOf(e.getMessage()).replaceFirst("^[A-Za-z.]*Exception: ", "");
  }

  /** Writes an answer; fields that are zero are left out. */
  public static String write(RateLimitResponse answer) {
    try {
      return PRINTER.print(answer);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }
}

package io.weir.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import java.nio.charset.StandardCharsets;

/** Requests and answers in the JSON form of Envoy's protocol. */
public final class EnvoyJson {
  private static final JsonFormat.Parser PARSER = JsonFormat.parser();
  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer().omittingInsignificantWhitespace();

  private EnvoyJson() {}

  /**
   * Reads a request.
   *
   * @throws BadQuestion if it is not JSON, or has a field that requests do not have
   */
  public static RateLimitRequest read(byte[] body) {
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder();
    try {
      PARSER.merge(new String(body, StandardCharsets.UTF_8), request);
    } catch (InvalidProtocolBufferException | IllegalStateException e) {
      throw new BadQuestion("the body is not a RateLimitRequest in JSON: " + reason(e));
    }
    return request.build();
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

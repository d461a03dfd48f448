package io.weir.http;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The trace that a request belongs to, from its {@code traceparent} header (W3C Trace Context,
 * version 00 or a compatible later one).
 *
 * @param traceId 32 hexadecimal digits, not all 0
 * @param spanId span of the caller: 16 hexadecimal digits, not all 0
 */
public record TraceParent(String traceId, String spanId) {
  public static final String HEADER = "traceparent";

  private static final int TRACE_AT = 3;
  private static final int SPAN_AT = 36;
  private static final int FLAGS_AT = 53;
  private static final int LENGTH = 55;

  /** Parses the header; empty if it is missing or malformed. */
  public static Optional<TraceParent> of(@Nullable String header) {
    if (header == null || header.length() < LENGTH) {
      return Optional.empty();
    }
    boolean first = header.startsWith("00-");
    boolean later = !header.startsWith("ff") && header.charAt(2) == '-';
    boolean ends = header.length() == LENGTH || (!first && header.charAt(LENGTH) == '-');
    boolean wellFormed =
        (first || later)
            && ends
            && isHex(header, 0, 2)
            && isHex(header, TRACE_AT, SPAN_AT - 1)
            && header.charAt(SPAN_AT - 1) == '-'
            && isHex(header, SPAN_AT, FLAGS_AT - 1)
            && header.charAt(FLAGS_AT - 1) == '-'
            && isHex(header, FLAGS_AT, LENGTH);
    if (!wellFormed) {
      return Optional.empty();
    }
    String trace = header.substring(TRACE_AT, SPAN_AT - 1);
    String span = header.substring(SPAN_AT, FLAGS_AT - 1);
    return isZero(trace) || isZero(span)
        ? Optional.empty()
        : Optional.of(new TraceParent(trace, span));
  }

  private static boolean isHex(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
        return false;
      }
    }
    return true;
  }

  private static boolean isZero(String text) {
    return text.chars().allMatch(c -> c == '0');
  }
}

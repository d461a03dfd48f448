package io.weir.server;

import org.jspecify.annotations.Nullable;

/**
 * A request that is answered with a problem body (RFC 9457) instead of what it asked for. Thrown
 * where it is noticed; has no stack trace, as it is the caller's mistake and not ours.
 */
final class HttpProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final String REDUCED =
      "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity";

  private static final byte[] TYPE = Json.name("type");
  private static final byte[] TITLE = Json.name("title");
  private static final byte[] STATUS = Json.name("status");
  private static final byte[] DETAIL = Json.name("detail");
  private static final byte[] FIELD = Json.name("field");
  private static final byte[] REASON = Json.name("reason");

  private final int status;
  private final String title;
  private final String field;
  private final boolean closing;
  private final long retryAfter;

  private HttpProblem(
      int status, String title, String detail, String field, boolean closing, long retryAfter) {
    super(detail, null, false, false);
    this.status = status;
    this.title = title;
    this.field = field;
    this.closing = closing;
    this.retryAfter = retryAfter;
  }

  private HttpProblem(int status, String title, String detail, String field, boolean closing) {
    this(status, title, detail, field, closing, 0);
  }

  /** A field of the body or query that is wrong, and why. */
  static HttpProblem badField(String field, String detail) {
    return new HttpProblem(400, "Bad Request", detail, field, false);
  }

  /** A body that is wrong as a whole. */
  static HttpProblem badRequest(String detail) {
    return badField("", detail);
  }

  /** The caller does not say who it is, or nobody we know. */
  static HttpProblem unauthorized(String detail) {
    return new HttpProblem(401, "Unauthorized", detail, "", false);
  }

  /** The caller did something too often, and is heard again after so many seconds. */
  static HttpProblem tooMany(String detail, long retryAfter) {
    return new HttpProblem(429, "Too Many Requests", detail, "", false, retryAfter);
  }

  static HttpProblem notFound(String detail) {
    return new HttpProblem(404, "Not Found", detail, "", false);
  }

  static HttpProblem methodNotAllowed(String detail) {
    return new HttpProblem(405, "Method Not Allowed", detail, "", false);
  }

  /** The body did not arrive in time; the rest of it is not waited for. */
  static HttpProblem tooSlow(String detail) {
    return new HttpProblem(408, "Request Timeout", detail, "", true);
  }

  /** The body is too large; the rest of it is not read. */
  static HttpProblem tooLarge(String detail) {
    return new HttpProblem(413, "Content Too Large", detail, "", true);
  }

  /** The body is of a type that is not taken. */
  static HttpProblem unsupported(String detail) {
    return new HttpProblem(415, "Unsupported Media Type", detail, "", false);
  }

  /** What was sent is not HTTP that can be understood. */
  static HttpProblem malformed(int status, String title, String detail) {
    return new HttpProblem(status, title, detail, "", true);
  }

  /** What is behind the gateway does not speak what was asked for. */
  static HttpProblem notImplemented(String detail) {
    return new HttpProblem(501, "Not Implemented", detail, "", false);
  }

  /** What is behind the gateway could not be reached, or broke off. */
  static HttpProblem badGateway(String detail) {
    return new HttpProblem(502, "Bad Gateway", detail, "", false);
  }

  /** What is behind the gateway took too long. */
  static HttpProblem gatewayTimeout(String detail) {
    return new HttpProblem(504, "Gateway Timeout", detail, "", false);
  }

  /** Nothing is wrong with the question, but it cannot be answered now. */
  static HttpProblem unavailable(String detail) {
    return new HttpProblem(503, "Service Unavailable", detail, "", false, 1);
  }

  int status() {
    return status;
  }

  String title() {
    return title;
  }

  /** Which field is wrong; empty if it is none in particular. */
  String field() {
    return field;
  }

  /** Whether the connection is of no more use. */
  boolean closing() {
    return closing;
  }

  /** After how many seconds trying again helps; 0 if it does not. */
  long retryAfter() {
    return retryAfter;
  }

  /** Whether nothing is wrong with the question. */
  boolean passing() {
    return status == 503;
  }

  /** Whether what was asked for is out of reach at the moment. */
  boolean isOfGateway() {
    return status >= 502 && status <= 504;
  }

  void write(Json out) {
    out.open();
    out.field(TYPE).text(passing() ? REDUCED : "about:blank");
    out.field(TITLE).text(title);
    out.field(STATUS).number(status);
    @Nullable String detail = getMessage();
    out.field(DETAIL).text(detail);
    if (!field.isEmpty()) {
      out.field(FIELD).text(field);
    }
    if (passing()) {
      out.field(REASON).text("unavailable");
    }
    out.close();
  }
}

package io.weir.server.http;

import org.jspecify.annotations.Nullable;

/**
 * A request that is answered with a problem body (RFC 9457). It has no stack trace, as the client's
 * request is the cause.
 */
public final class HttpProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final String REDUCED =
      "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity";

  private static final byte[] TYPE = JsonWriter.name("type");
  private static final byte[] TITLE = JsonWriter.name("title");
  private static final byte[] STATUS = JsonWriter.name("status");
  private static final byte[] DETAIL = JsonWriter.name("detail");
  private static final byte[] FIELD = JsonWriter.name("field");
  private static final byte[] REASON = JsonWriter.name("reason");

  private final int status;
  private final String title;
  private final String field;
  private final boolean closing;
  private final long retryAfter;

  private HttpProblemException(
      int status, String title, String detail, String field, boolean closing, long retryAfter) {
    super(detail, null, false, false);
    this.status = status;
    this.title = title;
    this.field = field;
    this.closing = closing;
    this.retryAfter = retryAfter;
  }

  private HttpProblemException(
      int status, String title, String detail, String field, boolean closing) {
    this(status, title, detail, field, closing, 0);
  }

  /** A field of the body or query is invalid. */
  public static HttpProblemException badField(String field, String detail) {
    return new HttpProblemException(400, "Bad Request", detail, field, false);
  }

  /** The request is invalid as a whole. */
  public static HttpProblemException badRequest(String detail) {
    return badField("", detail);
  }

  /** The caller has no credentials, or unknown ones. */
  public static HttpProblemException unauthorized(String detail) {
    return new HttpProblemException(401, "Unauthorized", detail, "", false);
  }

  /** The caller is known, but may not do this. */
  public static HttpProblemException forbidden(String detail) {
    return new HttpProblemException(403, "Forbidden", detail, "", false);
  }

  /**
   * The caller did something too often.
   *
   * @param retryAfter seconds until a retry is accepted
   */
  public static HttpProblemException tooMany(String detail, long retryAfter) {
    return new HttpProblemException(429, "Too Many Requests", detail, "", false, retryAfter);
  }

  public static HttpProblemException notFound(String detail) {
    return new HttpProblemException(404, "Not Found", detail, "", false);
  }

  static HttpProblemException methodNotAllowed(String detail) {
    return new HttpProblemException(405, "Method Not Allowed", detail, "", false);
  }

  /** The body did not arrive in time; the connection is closed. */
  public static HttpProblemException tooSlow(String detail) {
    return new HttpProblemException(408, "Request Timeout", detail, "", true);
  }

  /** The body is too large; the connection is closed. */
  public static HttpProblemException tooLarge(String detail) {
    return new HttpProblemException(413, "Content Too Large", detail, "", true);
  }

  /** The media type of the body is not accepted. */
  public static HttpProblemException unsupported(String detail) {
    return new HttpProblemException(415, "Unsupported Media Type", detail, "", false);
  }

  /** The request is not valid HTTP; the connection is closed. */
  public static HttpProblemException malformed(int status, String title, String detail) {
    return new HttpProblemException(status, title, detail, "", true);
  }

  /** The upstream does not support the requested protocol. */
  public static HttpProblemException notImplemented(String detail) {
    return new HttpProblemException(501, "Not Implemented", detail, "", false);
  }

  /** The upstream is unavailable, or its response ended early. */
  public static HttpProblemException badGateway(String detail) {
    return new HttpProblemException(502, "Bad Gateway", detail, "", false);
  }

  /** The upstream did not respond in time. */
  public static HttpProblemException gatewayTimeout(String detail) {
    return new HttpProblemException(504, "Gateway Timeout", detail, "", false);
  }

  /** The request is valid, but cannot be answered now. */
  public static HttpProblemException unavailable(String detail) {
    return new HttpProblemException(503, "Service Unavailable", detail, "", false, 1);
  }

  int status() {
    return status;
  }

  public String title() {
    return title;
  }

  /** The invalid field; empty if there is none in particular. */
  public String field() {
    return field;
  }

  /** Whether the connection is closed after the response. */
  boolean closesConnection() {
    return closing;
  }

  /** Seconds after which a retry helps; 0 if it does not. */
  long retryAfter() {
    return retryAfter;
  }

  /** Whether the request itself is valid. */
  boolean isTemporary() {
    return status == 503;
  }

  /** Whether the upstream or this process is at fault: 502 to 504. */
  boolean isGatewayError() {
    return status >= 502 && status <= 504;
  }

  void write(JsonWriter out) {
    out.open();
    out.field(TYPE).text(isTemporary() ? REDUCED : "about:blank");
    out.field(TITLE).text(title);
    out.field(STATUS).number(status);
    @Nullable String detail = getMessage();
    out.field(DETAIL).text(detail);
    if (!field.isEmpty()) {
      out.field(FIELD).text(field);
    }
    if (isTemporary()) {
      out.field(REASON).text("unavailable");
    }
    out.close();
  }
}

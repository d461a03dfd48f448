package io.weir.server.config;

/** Which headers Envoy is told to add to responses, if any. */
public record RateLimitHeaderNames(boolean enabled, String limit, String remaining, String reset) {
  public static final RateLimitHeaderNames DEFAULT =
      new RateLimitHeaderNames(false, "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset");
}

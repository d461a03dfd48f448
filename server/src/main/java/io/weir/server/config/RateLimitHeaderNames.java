package io.weir.server.config;

/** The rate limit headers that Envoy adds to responses, if enabled. */
public record RateLimitHeaderNames(boolean enabled, String limit, String remaining, String reset) {
  public static final RateLimitHeaderNames DEFAULT =
      new RateLimitHeaderNames(false, "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset");
}

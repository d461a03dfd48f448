package io.weir.server.envoy;

/** Which headers Envoy is told to add to responses, if any. */
public record HeaderNames(boolean enabled, String limit, String remaining, String reset) {
  public static final HeaderNames DEFAULT =
      new HeaderNames(false, "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset");
}

package io.weir.rules.envoy;

/**
 * How a folder of {@code envoyproxy/ratelimit} files is read.
 *
 * @param dotFiles whether files whose name begins with a dot are read too
 * @param mergeDomains whether several files may define the same domain
 * @param keyPrefix separates the counts from those of other applications that share the store
 */
public record EnvoyOptions(boolean dotFiles, boolean mergeDomains, String keyPrefix) {
  public static final EnvoyOptions DEFAULT = new EnvoyOptions(false, false, "");
}

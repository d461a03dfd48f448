package io.weir.rules;

/**
 * How a folder of {@code envoyproxy/ratelimit} files is read.
 *
 * @param dotFiles whether files whose name begins with a dot count too
 * @param mergeDomains whether several files may speak of the same domain
 * @param keyPrefix keeps the counts apart from those of others that share a store
 */
public record EnvoyOptions(boolean dotFiles, boolean mergeDomains, String keyPrefix) {
  public static final EnvoyOptions DEFAULT = new EnvoyOptions(false, false, "");
}

package io.weir.rules.envoy;

import java.util.List;
import java.util.Optional;

/**
 * One descriptor of a file: a key, optionally a value or a pattern of values, and its limit.
 *
 * @param value empty for every value; {@code *} stands for any characters
 * @param limit applies to a request descriptor that ends here
 * @param descriptors nested descriptors that match the following entries of a request descriptor
 */
public record EnvoyDescriptor(
    String key,
    String value,
    Optional<EnvoyLimit> limit,
    DescriptorOptions options,
    List<EnvoyDescriptor> descriptors) {

  public EnvoyDescriptor {
    descriptors = List.copyOf(descriptors);
  }

  /**
   * How the descriptor counts.
   *
   * @param shadow its limit is counted and never refuses
   * @param quota its limit refuses only together with all others of this kind
   * @param shareThreshold all values that match the pattern share one count
   */
  public record DescriptorOptions(boolean shadow, boolean quota, boolean shareThreshold) {
    public static final DescriptorOptions NONE = new DescriptorOptions(false, false, false);
  }

  /** Whether the value is a pattern. */
  public boolean isPattern() {
    return value.indexOf('*') >= 0;
  }
}

package io.weir.rules.envoy;

import io.weir.rules.text.Messages;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the descriptors of one level, and those nested in them. */
final class EnvoyDescriptorReader {
  private EnvoyDescriptorReader() {}

  static List<EnvoyDescriptor> read(EnvoyFields parent, DuplicateDescriptors siblings) {
    List<EnvoyDescriptor> descriptors = new ArrayList<>();
    for (EnvoyFields fields : parent.maps("descriptors")) {
      descriptors.add(descriptor(fields, siblings));
    }
    return descriptors;
  }

  private static EnvoyDescriptor descriptor(EnvoyFields fields, DuplicateDescriptors siblings) {
    String key = fields.text("key");
    String value = fields.text("value");
    if (key.isEmpty()) {
      fields.location().error(fields.line("key"), "a descriptor needs a key");
    } else {
      siblings.add(fields, key, value);
    }
    EnvoyFields named =
        fields.within("descriptor " + Messages.quote(key + (value.isEmpty() ? "" : "_" + value)));
    Optional<EnvoyLimit> limit = named.map("rate_limit").flatMap(EnvoyLimitReader::read);
    boolean share = named.flag("share_threshold");
    if (share && value.indexOf('*') < 0) {
      named
          .location()
          .error(
              fields.line("share_threshold"),
              "share_threshold needs a value with '*', for values that share");
    }
    // Weir's metrics never contain descriptor values; these two options are only validated.
    named.flag("detailed_metric");
    named.flag("value_to_metric");
    return new EnvoyDescriptor(
        key,
        value,
        limit,
        new EnvoyDescriptor.DescriptorOptions(
            named.flag("shadow_mode"), named.flag("quota_mode"), share),
        read(fields, new DuplicateDescriptors()));
  }
}

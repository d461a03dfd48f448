package io.weir.server.envoy.limit;

import io.weir.rules.envoy.EnvoyUnit;
import java.util.ArrayList;
import java.util.List;

/** Descriptors in the notation of tests: {@code Descriptors.descriptor("user=1", "path=/a")}. */
final class Descriptors {
  private Descriptors() {}

  static EnvoyRequest.Descriptor descriptor(String... entries) {
    return hits(1, entries);
  }

  static EnvoyRequest.Descriptor hits(long hits, String... entries) {
    return new EnvoyRequest.Descriptor(entries(entries), hits, null);
  }

  static EnvoyRequest.Descriptor own(long requests, EnvoyUnit unit, String... entries) {
    return new EnvoyRequest.Descriptor(
        entries(entries), 1, new EnvoyRequest.OwnLimit(requests, unit));
  }

  private static List<EnvoyRequest.Entry> entries(String... texts) {
    List<EnvoyRequest.Entry> entries = new ArrayList<>();
    for (String text : texts) {
      int equals = text.indexOf('=');
      entries.add(new EnvoyRequest.Entry(text.substring(0, equals), text.substring(equals + 1)));
    }
    return entries;
  }
}

package io.weir.rules.envoy;

import java.util.ArrayList;
import java.util.List;

/** Descriptors as tests write them: {@code Ask.descriptor("user=1", "path=/a")}. */
final class Ask {
  private Ask() {}

  static Question.Descriptor descriptor(String... entries) {
    return hits(1, entries);
  }

  static Question.Descriptor hits(long hits, String... entries) {
    return new Question.Descriptor(entries(entries), hits, null);
  }

  static Question.Descriptor own(long requests, EnvoyUnit unit, String... entries) {
    return new Question.Descriptor(entries(entries), 1, new Question.OwnLimit(requests, unit));
  }

  private static List<Question.Entry> entries(String... texts) {
    List<Question.Entry> entries = new ArrayList<>();
    for (String text : texts) {
      int equals = text.indexOf('=');
      entries.add(new Question.Entry(text.substring(0, equals), text.substring(equals + 1)));
    }
    return entries;
  }
}

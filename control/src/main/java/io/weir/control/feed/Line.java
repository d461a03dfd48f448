package io.weir.control.feed;

import io.weir.control.text.TextMapCodec;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** One line of the cache: a flat JSON object of texts, with the kind of record it holds. */
final class Line {
  private static final String KIND = "kind";

  private final SortedMap<String, String> fields;

  private Line(SortedMap<String, String> fields) {
    this.fields = fields;
  }

  static Line of(String kind) {
    return new Line(new TreeMap<>()).with(KIND, kind);
  }

  static Line parse(String text) {
    return new Line(TextMapCodec.read(text));
  }

  String format() {
    return TextMapCodec.write(fields);
  }

  /** Adds a field; an empty {@link Optional} adds nothing. */
  Line with(String name, Object field) {
    if (field instanceof Optional<?> optional) {
      optional.ifPresent(it -> with(name, it));
    } else if (field instanceof Enum<?> choice) {
      fields.put(name, choice.name().toLowerCase(Locale.ROOT));
    } else {
      fields.put(name, field.toString());
    }
    return this;
  }

  String kind() {
    return text(KIND);
  }

  String text(String name) {
    String text = fields.get(name);
    if (text == null) {
      throw new IllegalArgumentException("a line lacks " + name);
    }
    return text;
  }

  Optional<String> optionalText(String name) {
    return Optional.ofNullable(fields.get(name));
  }

  long number(String name) {
    return Long.parseLong(text(name));
  }

  boolean flag(String name) {
    return Boolean.parseBoolean(text(name));
  }

  Instant instant(String name) {
    return Instant.parse(text(name));
  }

  Optional<Instant> optionalInstant(String name) {
    return optionalText(name).map(Instant::parse);
  }

  <E extends Enum<E>> E choice(String name, Class<E> type) {
    return Enum.valueOf(type, text(name).toUpperCase(Locale.ROOT));
  }
}

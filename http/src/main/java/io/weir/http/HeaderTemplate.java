package io.weir.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The template of a header value with placeholders for the values of a limit: {@code
 * "{policy}";q={limit}[;w={window}]}.
 */
final class HeaderTemplate {
  /** A text, a value after it, or both; an optional part is omitted if its value is unknown. */
  private record TemplatePart(
      String text, HeaderValues.@Nullable HeaderValue value, boolean optional) {
    boolean isBare() {
      return text.isEmpty() && value != null;
    }
  }

  private final List<TemplatePart> parts;

  private HeaderTemplate(List<TemplatePart> parts) {
    this.parts = parts;
  }

  /** Reads a template. */
  static HeaderTemplate parse(String text) {
    List<TemplatePart> parts = new ArrayList<>();
    boolean optional = false;
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '{') {
        int end = text.indexOf('}', i);
        String name = text.substring(i + 1, end).toUpperCase(Locale.ROOT);
        parts.add(new TemplatePart(take(plain), HeaderValues.HeaderValue.valueOf(name), optional));
        i = end;
      } else if (c == '[' || c == ']') {
        if (!plain.isEmpty()) {
          parts.add(new TemplatePart(take(plain), null, optional));
        }
        optional = c == '[';
      } else {
        plain.append(c);
      }
    }
    if (!plain.isEmpty()) {
      parts.add(new TemplatePart(take(plain), null, optional));
    }
    return new HeaderTemplate(List.copyOf(parts));
  }

  private static String take(StringBuilder plain) {
    String text = plain.toString();
    plain.setLength(0);
    return text;
  }

  /** Whether the result is the same for every call that meets the same limit. */
  boolean isFixed() {
    return parts.stream().allMatch(part -> part.value == null || part.value.isFixed());
  }

  /** The filled-in value; null if a required value is unknown. */
  @Nullable String fill(HeaderValues values) {
    if (parts.size() == 1 && parts.get(0).isBare()) {
      return values.get(Objects.requireNonNull(parts.get(0).value));
    }
    StringBuilder out = new StringBuilder(32);
    for (int i = 0; i < parts.size(); i++) {
      TemplatePart part = parts.get(i);
      String value = part.value == null ? "" : values.get(part.value);
      if (value == null && !part.optional) {
        return null;
      }
      if (value != null) {
        out.append(part.text).append(value);
      }
    }
    return out.toString();
  }
}

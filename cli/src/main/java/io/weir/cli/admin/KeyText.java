package io.weir.cli.admin;

import io.weir.cli.output.CommandException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A key as people type it: {@code name=value[,name=value]}, all dimensions in the order of the
 * rule's key, values percent-encoded. Empty for a rule with one bucket for all.
 */
record KeyText(String text, List<String> names, List<String> values) {
  static KeyText parse(String text) {
    List<String> names = new ArrayList<>();
    List<String> values = new ArrayList<>();
    if (!text.isEmpty()) {
      for (String part : text.split(",", -1)) {
        int equals = part.indexOf('=');
        if (equals < 1) {
          throw new CommandException(
              "'" + text + "' is no key; write name=value[,name=value], such as user=42");
        }
        names.add(part.substring(0, equals));
        values.add(decode(part.substring(equals + 1)));
      }
    }
    return new KeyText(text, List.copyOf(names), List.copyOf(values));
  }

  private static String decode(String value) {
    try {
      return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new CommandException("'" + value + "' is not percent-encoded: " + e.getMessage());
    }
  }
}

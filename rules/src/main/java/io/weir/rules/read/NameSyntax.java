package io.weir.rules.read;

import io.weir.base.ExactNumbers;
import io.weir.base.NormalizedMethod;
import io.weir.rules.text.Messages;
import java.util.Locale;

/** Validates names of rules, attributes, methods and hosts. */
final class NameSyntax {
  private static final String HEADER = "header.";
  private static final int MAX_ID_LENGTH = 64;
  private static final int MAX_ATTRIBUTE_LENGTH = 128;

  private NameSyntax() {}

  /** An id of a rule, tier or bypass. */
  static String id(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("id is empty");
    }
    if (!isName(text)) {
      throw new IllegalArgumentException(
          "id " + Messages.quote(text) + " may hold only letters, digits, '-', '_' and '.'");
    }
    if (text.length() > MAX_ID_LENGTH) {
      throw new IllegalArgumentException(
          "id " + Messages.quote(text) + " has more than " + MAX_ID_LENGTH + " characters");
    }
    return text;
  }

  /** The name of an attribute or key part; header names in lower case. */
  static String attribute(String what, String text) {
    if (text.isEmpty() || !isName(text) || text.length() > MAX_ATTRIBUTE_LENGTH) {
      throw new IllegalArgumentException(
          what
              + " "
              + Messages.quote(text)
              + " is not a name of letters, digits, '-', '_' and '.', such as user or"
              + " header.x-plan");
    }
    if (text.equalsIgnoreCase(HEADER)) {
      throw new IllegalArgumentException(
          what + " 'header.' must name a header, such as header.x-plan");
    }
    return text.startsWith(HEADER) ? text.toLowerCase(Locale.ROOT) : text;
  }

  /** An HTTP method; case is ignored. */
  static String method(String text) {
    if (!isName(text) || text.isEmpty()) {
      throw new IllegalArgumentException("method " + Messages.quote(text) + " is not such as POST");
    }
    return NormalizedMethod.of(text);
  }

  /** A host, in lower case; a leading {@code *.} matches every subdomain. */
  static String host(String text) {
    String host = text.toLowerCase(Locale.ROOT);
    String rest = host.startsWith("*.") ? host.substring(2) : host;
    if (rest.indexOf('*') >= 0) {
      throw new IllegalArgumentException(
          "host " + Messages.quote(text) + ": '*.' is only allowed at the front");
    }
    boolean address = rest.startsWith("[") && rest.endsWith("]");
    if (rest.indexOf(':') >= 0 && !address) {
      throw new IllegalArgumentException(
          "host " + Messages.quote(text) + " must be without scheme and port");
    }
    if (rest.isEmpty() || (!address && !isName(rest))) {
      throw new IllegalArgumentException(
          "host " + Messages.quote(text) + " is not such as api.example.com or *.example.com");
    }
    return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
  }

  private static boolean isName(String text) {
    return text.chars().allMatch(c -> ExactNumbers.isNameChar((char) c));
  }
}

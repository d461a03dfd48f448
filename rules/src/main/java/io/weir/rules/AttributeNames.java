package io.weir.rules;

import io.weir.rules.text.Messages;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Recognises attribute names in rules that are most likely misspelled names of built-in attributes.
 * Rules may name any custom attribute, so a name is doubted only if it is a typo of a built-in
 * name, a common synonym for the client's address, or looks like a header.
 */
public final class AttributeNames {
  /** Attributes that every request has and that only keys can name. */
  static final List<String> OF_REQUESTS = List.of("method", "path", "route", "host");

  private static final List<String> BUILT_IN =
      List.of("ip", "user", "tenant", "api_key", "method", "path", "route", "host");

  /** Synonyms, in lower case and without separators. */
  private static final Map<String, String> SYNONYMS =
      Map.ofEntries(
          Map.entry("clientip", "ip"),
          Map.entry("clientaddr", "ip"),
          Map.entry("clientaddress", "ip"),
          Map.entry("remoteip", "ip"),
          Map.entry("remoteaddr", "ip"),
          Map.entry("remoteaddress", "ip"),
          Map.entry("sourceip", "ip"),
          Map.entry("srcip", "ip"),
          Map.entry("sourceaddress", "ip"),
          Map.entry("ipaddr", "ip"),
          Map.entry("ipaddress", "ip"),
          Map.entry("ips", "ip"),
          Map.entry("httpmethod", "method"),
          Map.entry("requestmethod", "method"),
          Map.entry("requestpath", "path"),
          Map.entry("requesturi", "path"),
          Map.entry("httphost", "host"));

  /**
   * Headers in which proxies pass the client's address; identity reads them and sets {@code ip}.
   */
  private static final Set<String> OF_ADDRESS =
      Set.of(
          "forwarded",
          "x-forwarded-for",
          "x-real-ip",
          "x-client-ip",
          "true-client-ip",
          "cf-connecting-ip",
          "fastly-client-ip");

  private static final Set<String> HEADERS =
      Set.of(
          "accept",
          "accept-language",
          "authorization",
          "content-length",
          "content-type",
          "cookie",
          "idempotency-key",
          "origin",
          "referer",
          "user-agent");

  private AttributeNames() {}

  /** The name that was most likely meant; empty if the name needs no correction. */
  public static Optional<String> suggestionFor(String name) {
    if (BUILT_IN.contains(name) || name.startsWith("header.")) {
      return Optional.empty();
    }
    String lower = name.toLowerCase(Locale.ROOT);
    if (OF_ADDRESS.contains(lower)) {
      return Optional.of("ip");
    }
    Optional<String> header = header(lower);
    return header.isPresent() ? header : builtIn(lower);
  }

  private static Optional<String> header(String lower) {
    for (String prefix : List.of("header.", "headers.", "header-", "header_")) {
      if (lower.startsWith(prefix) && lower.length() > prefix.length()) {
        return Optional.of("header." + lower.substring(prefix.length()));
      }
    }
    return lower.startsWith("x-") || HEADERS.contains(lower)
        ? Optional.of("header." + lower)
        : Optional.empty();
  }

  private static Optional<String> builtIn(String lower) {
    String bare = lower.replaceAll("[-_.]", "");
    if (SYNONYMS.containsKey(bare)) {
      return Optional.of(SYNONYMS.get(bare));
    }
    return BUILT_IN.stream().filter(known -> isSlip(bare, known.replace("_", ""))).findFirst();
  }

  /**
   * Whether a name equals a known one apart from case, separators or one letter. The first letter
   * must match. A longer name is a different word unless it is the plural: post is not host, vip is
   * not ip, router is not route.
   */
  private static boolean isSlip(String bare, String known) {
    if (bare.equals(known) || bare.equals(known + "s")) {
      return true;
    }
    return known.length() >= 4
        && !bare.isEmpty()
        && bare.charAt(0) == known.charAt(0)
        && !bare.startsWith(known)
        && bare.length() <= known.length() + 1
        && Messages.distance(bare, known) == 1;
  }
}

package io.weir.server.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.weir.http.HeaderLine;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Writes header lines into the head of a response. */
public final class ResponseHeaders {
  /**
   * Header names in Vert.x's optimized form, with hash, validation and bytes precomputed. There are
   * only a few.
   */
  private static final Map<String, CharSequence> NAMES = new ConcurrentHashMap<>();

  private ResponseHeaders() {}

  public static void put(List<HeaderLine> lines, MultiMap headers) {
    for (int i = 0; i < lines.size(); i++) {
      HeaderLine line = lines.get(i);
      headers.set(optimized(line.name()), line.value());
    }
  }

  private static CharSequence optimized(String name) {
    CharSequence known = NAMES.get(name);
    return known == null ? NAMES.computeIfAbsent(name, HttpHeaders::createOptimized) : known;
  }
}

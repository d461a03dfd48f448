package io.weir.server.envoy.grpc;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.weir.Call;
import io.weir.rules.envoy.EnvoyUnit;
import io.weir.server.envoy.limit.EnvoyRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes requests out of Envoy's wire format, within caps. */
public final class EnvoyRequestDecoder {
  private static final int MOST_DESCRIPTORS = 256;
  private static final int MOST_ENTRIES = 64;

  private EnvoyRequestDecoder() {}

  /**
   * Checks what holds for every request.
   *
   * @throws InvalidRequestException if it does not
   */
  public static void check(RateLimitRequest request) {
    if (request.getDomain().isEmpty()) {
      throw new InvalidRequestException("domain must not be empty");
    }
    int descriptors = request.getDescriptorsCount();
    if (descriptors == 0) {
      throw new InvalidRequestException("descriptors must not be empty");
    }
    if (descriptors > MOST_DESCRIPTORS) {
      throw new InvalidRequestException(
          "a request has at most " + MOST_DESCRIPTORS + " descriptors, not " + descriptors);
    }
    for (int i = 0; i < descriptors; i++) {
      if (request.getDescriptors(i).getEntriesCount() > MOST_ENTRIES) {
        throw new InvalidRequestException("a descriptor has at most " + MOST_ENTRIES + " entries");
      }
    }
  }

  /** The question about limits in a configuration folder. */
  public static EnvoyRequest read(RateLimitRequest request) {
    int count = request.getDescriptorsCount();
    List<EnvoyRequest.Descriptor> descriptors = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      RateLimitDescriptor said = request.getDescriptors(i);
      descriptors.add(new EnvoyRequest.Descriptor(entries(said), hits(request, said), own(said)));
    }
    return new EnvoyRequest(request.getDomain(), descriptors);
  }

  private static List<EnvoyRequest.Entry> entries(RateLimitDescriptor said) {
    int count = said.getEntriesCount();
    if (count == 1) {
      return List.of(entry(said.getEntries(0)));
    }
    List<EnvoyRequest.Entry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      entries.add(entry(said.getEntries(i)));
    }
    return entries;
  }

  private static EnvoyRequest.Entry entry(RateLimitDescriptor.Entry said) {
    return new EnvoyRequest.Entry(said.getKey(), said.getValue());
  }

  /** A descriptor's own number, also if it is 0, else that of the request, and at least 1. */
  private static long hits(RateLimitRequest request, RateLimitDescriptor said) {
    if (said.hasHitsAddend()) {
      long hits = said.getHitsAddend().getValue();
      return hits < 0 ? Long.MAX_VALUE : hits; // unsigned; all that is too much is alike
    }
    return Math.max(1, Integer.toUnsignedLong(request.getHitsAddend()));
  }

  private static EnvoyRequest.@Nullable OwnLimit own(RateLimitDescriptor said) {
    if (!said.hasLimit()) {
      return null;
    }
    int number = said.getLimit().getUnitValue();
    EnvoyUnit unit =
        EnvoyUnit.numbered(number)
            .orElseThrow(() -> new InvalidRequestException("limit has the unknown unit " + number));
    return new EnvoyRequest.OwnLimit(
        Integer.toUnsignedLong(said.getLimit().getRequestsPerUnit()), unit);
  }

  /** The same question about Weir's own rules: a call per descriptor, its entries as attributes. */
  public static List<Call> calls(RateLimitRequest request) {
    List<Call> calls = new ArrayList<>(request.getDescriptorsCount());
    for (RateLimitDescriptor said : request.getDescriptorsList()) {
      if (said.hasLimit()) {
        throw new InvalidRequestException(
            "domain weir is limited by its rules; limit must not be set");
      }
      calls.add(call(said).cost(cost(hits(request, said))));
    }
    return calls;
  }

  private static long cost(long hits) {
    if (hits > Call.MAX_COST) {
      throw new InvalidRequestException(
          "hits_addend " + Long.toUnsignedString(hits) + " is too large");
    }
    return hits;
  }

  private static Call call(RateLimitDescriptor said) {
    String method = "GET";
    String path = "/";
    for (RateLimitDescriptor.Entry entry : said.getEntriesList()) {
      method = entry.getKey().equals("method") ? entry.getValue() : method;
      path = entry.getKey().equals("path") ? entry.getValue() : path;
    }
    Call call = callTo(method, path);
    for (RateLimitDescriptor.Entry entry : said.getEntriesList()) {
      switch (entry.getKey()) {
        case "method", "path" -> {}
        case "host" -> call = call.host(entry.getValue());
        default -> call = call.with(entry.getKey(), entry.getValue());
      }
    }
    return call;
  }

  /**
   * A call to a path that Envoy passes on. {@code *}, with which OPTIONS asks about the server as a
   * whole, counts as {@code /}.
   *
   * @throws InvalidRequestException if the path does not begin with a slash
   */
  public static Call callTo(String method, String path) {
    boolean ofServer = path.equals("*") && method.equals("OPTIONS");
    if (!ofServer && !path.startsWith("/")) {
      throw new InvalidRequestException("path must begin with '/'");
    }
    return Call.of(method, ofServer ? "/" : path);
  }
}

package io.weir.server.envoy.grpc;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.weir.Call;
import io.weir.rules.envoy.EnvoyUnit;
import io.weir.server.envoy.limit.EnvoyRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decodes requests from Envoy's wire format, and caps their size. */
public final class EnvoyRequestDecoder {
  private static final int MAX_DESCRIPTORS = 256;
  private static final int MAX_ENTRIES = 64;

  private EnvoyRequestDecoder() {}

  /**
   * Checks the rules that hold for every request.
   *
   * @throws InvalidRequestException if the request violates one
   */
  public static void check(RateLimitRequest request) {
    if (request.getDomain().isEmpty()) {
      throw new InvalidRequestException("domain must not be empty");
    }
    int descriptors = request.getDescriptorsCount();
    if (descriptors == 0) {
      throw new InvalidRequestException("descriptors must not be empty");
    }
    if (descriptors > MAX_DESCRIPTORS) {
      throw new InvalidRequestException(
          "a request has at most " + MAX_DESCRIPTORS + " descriptors, not " + descriptors);
    }
    for (int i = 0; i < descriptors; i++) {
      if (request.getDescriptors(i).getEntriesCount() > MAX_ENTRIES) {
        throw new InvalidRequestException("a descriptor has at most " + MAX_ENTRIES + " entries");
      }
    }
  }

  /** Decodes a request that is decided by the limits of a configuration folder. */
  public static EnvoyRequest read(RateLimitRequest request) {
    int count = request.getDescriptorsCount();
    List<EnvoyRequest.Descriptor> descriptors = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      RateLimitDescriptor descriptor = request.getDescriptors(i);
      descriptors.add(
          new EnvoyRequest.Descriptor(
              entries(descriptor), hits(request, descriptor), own(descriptor)));
    }
    return new EnvoyRequest(request.getDomain(), descriptors);
  }

  private static List<EnvoyRequest.Entry> entries(RateLimitDescriptor descriptor) {
    int count = descriptor.getEntriesCount();
    if (count == 1) {
      return List.of(entry(descriptor.getEntries(0)));
    }
    List<EnvoyRequest.Entry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      entries.add(entry(descriptor.getEntries(i)));
    }
    return entries;
  }

  private static EnvoyRequest.Entry entry(RateLimitDescriptor.Entry descriptor) {
    return new EnvoyRequest.Entry(descriptor.getKey(), descriptor.getValue());
  }

  /**
   * The hits of a descriptor: its own {@code hits_addend} if set (0 is allowed), else that of the
   * request, at least 1.
   */
  private static long hits(RateLimitRequest request, RateLimitDescriptor descriptor) {
    if (descriptor.hasHitsAddend()) {
      long hits = descriptor.getHitsAddend().getValue();
      return hits < 0 ? Long.MAX_VALUE : hits; // unsigned; saturates
    }
    return Math.max(1, Integer.toUnsignedLong(request.getHitsAddend()));
  }

  private static EnvoyRequest.@Nullable OwnLimit own(RateLimitDescriptor descriptor) {
    if (!descriptor.hasLimit()) {
      return null;
    }
    int number = descriptor.getLimit().getUnitValue();
    EnvoyUnit unit =
        EnvoyUnit.numbered(number)
            .orElseThrow(() -> new InvalidRequestException("limit has the unknown unit " + number));
    return new EnvoyRequest.OwnLimit(
        Integer.toUnsignedLong(descriptor.getLimit().getRequestsPerUnit()), unit);
  }

  /**
   * Decodes a request that is decided by Weir's own rules: one call per descriptor, with the
   * entries as attributes.
   */
  public static List<Call> calls(RateLimitRequest request) {
    List<Call> calls = new ArrayList<>(request.getDescriptorsCount());
    for (RateLimitDescriptor descriptor : request.getDescriptorsList()) {
      if (descriptor.hasLimit()) {
        throw new InvalidRequestException(
            "domain weir is limited by its rules; limit must not be set");
      }
      calls.add(call(descriptor).cost(cost(hits(request, descriptor))));
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

  private static Call call(RateLimitDescriptor descriptor) {
    String method = "GET";
    String path = "/";
    for (RateLimitDescriptor.Entry entry : descriptor.getEntriesList()) {
      method = entry.getKey().equals("method") ? entry.getValue() : method;
      path = entry.getKey().equals("path") ? entry.getValue() : path;
    }
    Call call = callTo(method, path);
    for (RateLimitDescriptor.Entry entry : descriptor.getEntriesList()) {
      switch (entry.getKey()) {
        case "method", "path" -> {}
        case "host" -> call = call.host(entry.getValue());
        default -> call = call.with(entry.getKey(), entry.getValue());
      }
    }
    return call;
  }

  /**
   * A call to a path forwarded by Envoy. The target {@code *} of OPTIONS, which means the whole
   * server, counts as {@code /}.
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

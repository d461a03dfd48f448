package io.weir.server.envoy.grpc;

import io.vertx.grpc.health.v1.HealthCheckRequest;
import io.vertx.grpc.health.v1.HealthCheckResponse;
import io.vertx.grpc.health.v1.HealthCheckResponse.ServingStatus;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/**
 * Serves {@code Check} of gRPC's health protocol. Callers are not authenticated, so no state is
 * kept per caller: {@code Watch} is not served.
 */
public final class GrpcHealth {
  /** The whole process, and the name under which envoyproxy/ratelimit reports its health. */
  private static final Set<String> NAMES = Set.of("", "ratelimit");

  private final BooleanSupplier ready;

  public GrpcHealth(BooleanSupplier ready) {
    this.ready = ready;
  }

  public CompletionStage<HealthCheckResponse> check(HealthCheckRequest request) {
    if (!NAMES.contains(request.getService())) {
      throw new NotFoundException("no service has this name");
    }
    return CompletableFuture.completedFuture(
        HealthCheckResponse.newBuilder()
            .setStatus(ready.getAsBoolean() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING)
            .build());
  }
}

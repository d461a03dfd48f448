package io.weir.server.envoy.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.grpc.health.v1.HealthCheckRequest;
import io.vertx.grpc.health.v1.HealthCheckResponse.ServingStatus;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class GrpcHealthTest {
  private final AtomicBoolean ready = new AtomicBoolean();
  private final GrpcHealth health = new GrpcHealth(ready::get);

  private ServingStatus status(String service) {
    return health
        .check(HealthCheckRequest.newBuilder().setService(service).build())
        .toCompletableFuture()
        .join()
        .getStatus();
  }

  @Test
  void servesUnderBothNamesOnlyWhileReady() {
    assertThat(status("")).isEqualTo(ServingStatus.NOT_SERVING);
    assertThat(status("ratelimit")).isEqualTo(ServingStatus.NOT_SERVING);
    ready.set(true);
    assertThat(status("")).isEqualTo(ServingStatus.SERVING);
    assertThat(status("ratelimit")).isEqualTo(ServingStatus.SERVING);
  }

  @Test
  void unknownServicesAreNotFound() {
    ready.set(true);
    assertThatThrownBy(() -> status("nobody")).isInstanceOf(NotFoundException.class);
  }
}

package io.weir.server.envoy;

import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RlqsProto;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RlsProto;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.health.v1.HealthCheckRequest;
import io.vertx.grpc.health.v1.HealthCheckResponse;
import io.vertx.grpc.health.v1.HealthProto;
import io.vertx.grpc.reflection.ReflectionService;
import io.vertx.grpc.server.GrpcProtocol;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import io.vertx.grpc.server.Service;
import io.weir.server.envoy.grpc.GrpcErrorReporter;
import io.weir.server.envoy.grpc.GrpcHealth;
import io.weir.server.envoy.grpc.StreamTimeouts;
import io.weir.server.envoy.grpc.UnaryHandler;
import io.weir.server.envoy.quota.QuotaService;
import io.weir.server.envoy.quota.QuotaStreams;
import java.util.function.BooleanSupplier;

/** The gRPC services of one event loop: rate limits, quotas, health and reflection. */
public final class EnvoyGrpc {
  /** Path prefix of the health service. */
  public static final String HEALTH_PATH = "/grpc.health.v1.Health/";

  /** Path prefix of the reflection service, which has no request timeout of its own. */
  public static final String REFLECTION_PATH = "/grpc.reflection.v1.ServerReflection/";

  private static final ServiceName HEALTH = ServiceName.create("grpc.health.v1", "Health");

  private static final ServiceName RATE_LIMIT =
      ServiceName.create("envoy.service.ratelimit.v3", "RateLimitService");
  private static final ServiceName QUOTA =
      ServiceName.create("envoy.service.rate_limit_quota.v3", "RateLimitQuotaService");
  private static final int MAX_MESSAGE_BYTES = 1 << 20;

  private final Vertx vertx;
  private final Context context;
  private final StreamTimeouts timeouts;
  private final GrpcErrorReporter errors;

  /** Creates services that run on the event loop of a context. */
  public EnvoyGrpc(
      Vertx vertx, Context context, StreamTimeouts timeouts, GrpcErrorReporter errors) {
    this.vertx = vertx;
    this.context = context;
    this.timeouts = timeouts;
    this.errors = errors;
  }

  /**
   * Loads the descriptors of Envoy's messages. This takes about 300 ms, so it is called outside the
   * event loops.
   */
  public static void load() {
    RlsProto.getDescriptor();
    RlqsProto.getDescriptor();
    HealthProto.getDescriptor();
  }

  /**
   * Returns one handler for all services.
   *
   * @param ready whether this instance is ready for traffic
   */
  public Handler<HttpServerRequest> serve(
      EnvoyService service, QuotaService quotaService, BooleanSupplier ready) {
    GrpcServerOptions options = new GrpcServerOptions().setMaxMessageSize(MAX_MESSAGE_BYTES);
    for (GrpcProtocol protocol : GrpcProtocol.values()) {
      if (protocol != GrpcProtocol.HTTP_2) {
        options.removeEnabledProtocol(protocol);
      }
    }
    return GrpcServer.server(vertx, options)
        .addService(rateLimit(service))
        .addService(quotas(quotaService))
        .addService(health(new GrpcHealth(ready)))
        .addService(ReflectionService.v1());
  }

  private Service rateLimit(EnvoyService service) {
    ServiceMethod<RateLimitRequest, RateLimitResponse> method =
        ServiceMethod.server(
            RATE_LIMIT,
            "ShouldRateLimit",
            GrpcMessageEncoder.encoder(),
            GrpcMessageDecoder.decoder(RateLimitRequest.getDefaultInstance()));
    return Service.service(
            RATE_LIMIT, RlsProto.getDescriptor().findServiceByName("RateLimitService"))
        .bind(
            method,
            new UnaryHandler<>(context, method.decoder(), timeouts, errors, service::decide))
        .build();
  }

  private Service health(GrpcHealth health) {
    ServiceMethod<HealthCheckRequest, HealthCheckResponse> method =
        ServiceMethod.server(
            HEALTH,
            "Check",
            GrpcMessageEncoder.encoder(),
            GrpcMessageDecoder.decoder(HealthCheckRequest.getDefaultInstance()));
    return Service.service(HEALTH, HealthProto.getDescriptor().findServiceByName("Health"))
        .bind(
            method, new UnaryHandler<>(context, method.decoder(), timeouts, errors, health::check))
        .build();
  }

  private Service quotas(QuotaService quotaService) {
    ServiceMethod<RateLimitQuotaUsageReports, RateLimitQuotaResponse> method =
        ServiceMethod.server(
            QUOTA,
            "StreamRateLimitQuotas",
            GrpcMessageEncoder.encoder(),
            GrpcMessageDecoder.decoder(RateLimitQuotaUsageReports.getDefaultInstance()));
    return Service.service(
            QUOTA, RlqsProto.getDescriptor().findServiceByName("RateLimitQuotaService"))
        .bind(method, new QuotaStreams(context, method.decoder(), timeouts, errors, quotaService))
        .build();
  }
}

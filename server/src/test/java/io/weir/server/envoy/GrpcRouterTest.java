package io.weir.server.envoy;

import static io.weir.server.fixture.EnvoyTestServer.about;
import static io.weir.server.fixture.EnvoyTestServer.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.common.WireFormat;
import io.vertx.grpc.health.v1.HealthCheckRequest;
import io.vertx.grpc.health.v1.HealthCheckResponse;
import io.vertx.grpc.reflection.v1.ServerReflectionRequest;
import io.vertx.grpc.reflection.v1.ServerReflectionResponse;
import io.vertx.grpc.reflection.v1.ServiceResponse;
import io.weir.server.config.CallerSettings;
import io.weir.server.config.ServerConfig;
import io.weir.server.fixture.EnvoyTestServer;
import io.weir.testkit.LogCapture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Behaviour of the gRPC port apart from valid requests. */
class GrpcRouterTest {
  private static final String SERVICE = "envoy.service.ratelimit.v3.RateLimitService";
  private static final Buffer GOOD = Buffer.buffer(about("d", "k=1").build().toByteArray());

  private static EnvoyTestServer server;

  @BeforeAll
  static void start() {
    server =
        EnvoyTestServer.with(
            "domain: d\n"
                + "descriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 9 } }]");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static ServiceMethod<Buffer, Buffer> raw(String service, String method) {
    return ServiceMethod.client(
        ServiceName.create(service),
        method,
        GrpcMessageEncoder.IDENTITY,
        GrpcMessageDecoder.IDENTITY);
  }

  private static GrpcClientRequest<Buffer, Buffer> begin() {
    return await(server.call(raw(SERVICE, "ShouldRateLimit")));
  }

  /** The status of a response once it is complete. */
  private static <Q, A> GrpcStatus status(GrpcClientRequest<Q, A> call) {
    GrpcClientResponse<Q, A> response = await(call.response());
    response.handler(any -> {});
    await(response.end().otherwiseEmpty());
    return response.status();
  }

  /** A message on the wire: uncompressed, with its length first. */
  private static Buffer framed(RateLimitRequest message) {
    byte[] bytes = message.toByteArray();
    return Buffer.buffer().appendByte((byte) 0).appendInt(bytes.length).appendBytes(bytes);
  }

  private static void assertStillServing() {
    assertThat(server.ask("d", "other=1").getOverallCode()).isEqualTo(Code.OK);
  }

  @Test
  void rejectsUnreadableMessagesAsInvalidArgument() {
    for (String bytes : new String[] {"\1", "garbage", "\n\uFFFF", "\n\177"}) {
      GrpcClientRequest<Buffer, Buffer> call = begin();
      call.end(Buffer.buffer(bytes));
      assertThat(status(call)).as(bytes).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    }
    assertStillServing();
  }

  @Test
  void unaryCallTakesExactlyOneMessage() {
    GrpcClientRequest<Buffer, Buffer> none = begin();
    none.end();
    assertThat(status(none)).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    Buffer question = framed(about("d", "k=two").build());
    HttpClientRequest two = server.half();
    Future<String> status =
        two.response().compose(read -> read.end().map(end -> read.getTrailer("grpc-status")));
    two.end(
        question.copy().appendBuffer(question)); // in one write: the first response ends the call
    assertThat(await(status)).isEqualTo("0");
    assertThat(server.ask("d", "k=two").getStatuses(0).getLimitRemaining()).isEqualTo(7);
  }

  @Test
  void rejectsCompressedMessages() throws IOException {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(zipped)) {
      zip.write(new byte[1 << 20]);
    }
    for (ServiceMethod<Buffer, Buffer> method :
        List.of(
            raw(SERVICE, "ShouldRateLimit"),
            raw("envoy.service.rate_limit_quota.v3.RateLimitQuotaService", "StreamRateLimitQuotas"),
            raw("grpc.health.v1.Health", "Check"),
            raw("grpc.reflection.v1.ServerReflection", "ServerReflectionInfo"))) {
      GrpcClientRequest<Buffer, Buffer> call = await(server.call(method));
      call.encoding("gzip");
      call.endMessage(
          GrpcMessage.message("gzip", WireFormat.PROTOBUF, Buffer.buffer(zipped.toByteArray())));
      assertThat(status(call)).as(method.fullMethodName()).isEqualTo(GrpcStatus.UNIMPLEMENTED);
      assertThat(await(call.response()).headers().get("grpc-accept-encoding"))
          .isEqualTo("identity");
    }
    assertStillServing();
  }

  @Test
  void rejectsCompressedMessagesWithoutAnEncoding() {
    byte[] bytes = about("d", "k=flag").build().toByteArray();
    Buffer flagged =
        Buffer.buffer().appendByte((byte) 1).appendInt(bytes.length).appendBytes(bytes);
    try (LogCapture log = LogCapture.ofAll()) {
      HttpClientRequest call = server.half();
      call.end(flagged);

      assertThat(await(call.response()).getHeader("grpc-status")).isEqualTo("3");
      assertThat(log.messages()).isEmpty();
    }
    assertThat(server.ask("d", "k=flag").getStatuses(0).getLimitRemaining()).isEqualTo(8);
    assertStillServing();
  }

  @Test
  void doesNotAdvertiseCompression() {
    for (String method : new String[] {"ShouldRateLimit", "Nothing"}) {
      GrpcClientRequest<Buffer, Buffer> call = await(server.call(raw(SERVICE, method)));
      call.end(GOOD);
      status(call);
      assertThat(await(call.response()).headers().get("grpc-accept-encoding")).isNull();
    }
  }

  @Test
  void rejectsMessagesLargerThanAMebibyte() {
    GrpcClientRequest<Buffer, Buffer> call = begin();
    call.end(Buffer.buffer(new byte[(1 << 20) + 1]));
    assertThat(status(call)).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    RateLimitResponse longValue = server.ask("d", "k=" + "x".repeat(100_000));
    assertThat(longValue.getStatuses(0).getLimitRemaining()).isEqualTo(8);
  }

  @Test
  void unknownMethodsAreUnimplemented() {
    GrpcClientRequest<Buffer, Buffer> call = await(server.call(raw(SERVICE, "Nothing")));
    call.end(GOOD);
    assertThat(status(call)).isEqualTo(GrpcStatus.UNIMPLEMENTED);
  }

  @Test
  void survivesCancelledCalls() {
    for (int i = 0; i < 50; i++) {
      server.half().reset();
    }
    assertStillServing();
  }

  @Test
  void reportsHealthUnderBothNames() {
    ServiceMethod<HealthCheckResponse, HealthCheckRequest> check =
        ServiceMethod.client(
            ServiceName.create("grpc.health.v1.Health"),
            "Check",
            GrpcMessageEncoder.encoder(),
            GrpcMessageDecoder.decoder(HealthCheckResponse.getDefaultInstance()));
    for (String name : new String[] {"", "ratelimit"}) {
      GrpcClientRequest<HealthCheckRequest, HealthCheckResponse> call = await(server.call(check));
      call.end(HealthCheckRequest.newBuilder().setService(name).build());
      assertThat(await(await(call.response()).last()).getStatus())
          .as("service '%s'", name)
          .isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
    }
    GrpcClientRequest<HealthCheckRequest, HealthCheckResponse> unknown = await(server.call(check));
    unknown.end(HealthCheckRequest.newBuilder().setService("nobody").build());
    assertThat(status(unknown)).isEqualTo(GrpcStatus.NOT_FOUND);
  }

  @Test
  void doesNotServeHealthWatch() {
    GrpcClientRequest<Buffer, Buffer> watch =
        await(server.call(raw("grpc.health.v1.Health", "Watch")));
    watch.end(Buffer.buffer());
    assertThat(status(watch)).isEqualTo(GrpcStatus.UNIMPLEMENTED);
  }

  @Test
  void describesItselfByReflection() {
    ServiceMethod<ServerReflectionResponse, ServerReflectionRequest> reflection =
        ServiceMethod.client(
            ServiceName.create("grpc.reflection.v1.ServerReflection"),
            "ServerReflectionInfo",
            GrpcMessageEncoder.encoder(),
            GrpcMessageDecoder.decoder(ServerReflectionResponse.getDefaultInstance()));
    GrpcClientRequest<ServerReflectionRequest, ServerReflectionResponse> call =
        await(server.call(reflection));
    call.end(ServerReflectionRequest.newBuilder().setListServices("*").build());
    assertThat(await(await(call.response()).last()).getListServicesResponse().getServiceList())
        .extracting(ServiceResponse::getName)
        .contains(SERVICE, "grpc.health.v1.Health");
  }

  @Test
  void timesOutIncompleteRequests() {
    try (EnvoyTestServer hurried =
        EnvoyTestServer.with("domain: d\n", config -> config, Duration.ofMillis(20))) {
      HttpClientResponse response = await(hurried.half().response());
      assertThat(response.getHeader("grpc-status")).isEqualTo("4");
      assertThat(response.getHeader("grpc-message")).contains("took%20too%20long");
      assertThat(hurried.ask("d", "k=1").getOverallCode()).isEqualTo(Code.OK);
    }
  }

  @Test
  void takesNothingForARequestAfterItsTimeout() {
    try (EnvoyTestServer hurried =
        EnvoyTestServer.with(
            "domain: d\n"
                + "descriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 9 } }]",
            config -> config,
            Duration.ofMillis(20))) {
      HttpClientRequest late = hurried.half();
      assertThat(await(late.response()).getHeader("grpc-status")).isEqualTo("4");
      late.end(framed(about("d", "k=1").build()));
      HttpClientRequest after = hurried.half(); // on the same connection, so after it
      after.end(Buffer.buffer(new byte[5]));
      await(after.response());
      assertThat(hurried.ask("d", "k=1").getStatuses(0).getLimitRemaining()).isEqualTo(8);
    }
  }

  @Test
  void closesIdleConnections() {
    try (EnvoyTestServer hurried =
        EnvoyTestServer.with("domain: d\n", config -> config, Duration.ofMillis(5))) {
      HttpClientRequest call = hurried.half();
      Promise<Void> closed = Promise.promise();
      call.connection().closeHandler(closed::complete);
      call.end(Buffer.buffer(new byte[5]));
      assertThat(await(call.response()).getHeader("grpc-status")).isEqualTo("3");
      await(closed.future());
    }
  }

  @Test
  void requiresATokenExceptForHealth() {
    String hash = io.weir.http.identity.Sha256.hex("sesame");
    CallerSettings callers = new CallerSettings(Set.of(hash), Optional.empty(), Set.of());
    try (EnvoyTestServer closed =
        EnvoyTestServer.with(
            "domain: d\n", config -> config.frontEnd(config.frontEnd().callers(callers)))) {
      assertThat(closed.refusal(about("d", "k=1").build())).isEqualTo(GrpcStatus.UNAUTHENTICATED);
      GrpcClientRequest<Buffer, Buffer> known = await(closed.call(raw(SERVICE, "ShouldRateLimit")));
      known.headers().set("authorization", "Bearer sesame");
      known.end(GOOD);
      assertThat(status(known)).isEqualTo(GrpcStatus.OK);
      GrpcClientRequest<Buffer, Buffer> health =
          await(closed.call(raw("grpc.health.v1.Health", "Check")));
      health.end(Buffer.buffer());
      assertThat(status(health)).isEqualTo(GrpcStatus.OK);
    }
  }

  @Test
  void refusesRequestsAtTheGuard() {
    try (EnvoyTestServer guarded =
        EnvoyTestServer.with(
            "domain: d\n",
            config -> config.guard(new ServerConfig.LoadLimit(io.weir.Limit.perHour(1), 100)))) {
      assertThat(guarded.ask("d", "k=1").getOverallCode()).isEqualTo(Code.OK);
      assertThat(guarded.refusal(about("d", "k=1").build())).isEqualTo(GrpcStatus.UNAVAILABLE);
      assertThat(guarded.http.admin("/metrics").body().lines())
          .contains("weir_envoy_requests_total{outcome=\"unavailable\"} 1.0");
    }
  }
}

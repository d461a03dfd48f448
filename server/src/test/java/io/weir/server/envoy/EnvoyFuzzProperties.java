package io.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.weir.server.fixture.EnvoyTestServer;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * For any input the response is one status per descriptor or "invalid request", and the next
 * request is decided normally.
 */
@Tag("fuzz")
class EnvoyFuzzProperties {
  private static final ServiceMethod<Buffer, Buffer> RAW =
      ServiceMethod.client(
          ServiceName.create("envoy.service.ratelimit.v3.RateLimitService"),
          "ShouldRateLimit",
          GrpcMessageEncoder.IDENTITY,
          GrpcMessageDecoder.IDENTITY);

  private static EnvoyTestServer server;

  @BeforeContainer
  static void start() {
    server =
        EnvoyTestServer.with(
            """
            domain: d
            descriptors:
              - { key: a, rate_limit: { unit: second, requests_per_unit: 5 } }
              - { key: a, value: "x*", quota_mode: true, rate_limit: { unit: day, requests_per_unit: 2 } }
              - { key: b, shadow_mode: true, rate_limit: { unit: minute, requests_per_unit: 1 } }
              - key: c
                descriptors: [{ key: d, rate_limit: { unit: year, requests_per_unit: 0 } }]
            """);
  }

  @AfterContainer
  static void stop() {
    server.close();
  }

  private static RateLimitRequest request(Random random) {
    String[] keys = {"a", "b", "c", "d", "", "user", "\u0000", "é"};
    String[] values = {"", "x", "xy", "1", "\n", "{}", "%", "x".repeat(2000)};
    RateLimitRequest.Builder request =
        RateLimitRequest.newBuilder()
            .setDomain(new String[] {"d", "d", "d", "weir", "e", ""}[random.nextInt(6)])
            .setHitsAddend(random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(3));
    for (int i = random.nextInt(random.nextInt(20) == 0 ? 300 : 5); i > 0; i--) {
      var descriptor = request.addDescriptorsBuilder();
      for (int j = random.nextInt(4); j > 0; j--) {
        descriptor
            .addEntriesBuilder()
            .setKey(keys[random.nextInt(keys.length)])
            .setValue(values[random.nextInt(values.length)]);
      }
      if (random.nextInt(4) == 0) {
        descriptor.getHitsAddendBuilder().setValue(random.nextBoolean() ? random.nextLong() : 0);
      }
      if (random.nextInt(6) == 0) {
        descriptor
            .getLimitBuilder()
            .setUnitValue(random.nextInt(9))
            .setRequestsPerUnit(random.nextInt());
      }
    }
    return request.build();
  }

  private record Answer(GrpcStatus status, Buffer bytes) {}

  private static Future<Answer> ask(GrpcClientRequest<Buffer, Buffer> call, byte[] bytes) {
    call.end(Buffer.buffer(bytes));
    return call.response()
        .compose(
            response -> {
              Buffer answer = Buffer.buffer();
              response.handler(answer::appendBuffer);
              return response
                  .end()
                  .otherwiseEmpty()
                  .map(end -> new Answer(response.status(), answer));
            });
  }

  @Property(tries = 300)
  void respondsOrRejectsTheRequestAsInvalid(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    RateLimitRequest asked = request(random);
    byte[] bytes = asked.toByteArray();
    boolean spoiled = random.nextInt(3) == 0 && bytes.length > 0;
    if (spoiled) {
      for (int i = random.nextInt(4); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
    }
    Answer answer = EnvoyTestServer.await(server.call(RAW).compose(call -> ask(call, bytes)));

    assertThat(answer.status()).isIn(GrpcStatus.OK, GrpcStatus.INVALID_ARGUMENT);
    if (answer.status() == GrpcStatus.OK && !spoiled) {
      assertThat(RateLimitResponse.parseFrom(answer.bytes().getBytes()).getStatusesCount())
          .isEqualTo(asked.getDescriptorsCount());
    }
    assertThat(server.http.admin("/metrics").body()).contains("weir_internal_errors_total 0.0");
  }
}

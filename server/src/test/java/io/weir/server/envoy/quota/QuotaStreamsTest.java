package io.weir.server.envoy.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.weir.redis.RedisOptions;
import io.weir.server.config.ServerConfig;
import io.weir.server.fixture.EnvoyTestServer;
import io.weir.server.fixture.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Envoy's quota service over real gRPC streams. */
@Timeout(60)
class QuotaStreamsTest {
  private static final ServiceMethod<RateLimitQuotaResponse, RateLimitQuotaUsageReports> STREAM =
      ServiceMethod.client(
          ServiceName.create("envoy.service.rate_limit_quota.v3.RateLimitQuotaService"),
          "StreamRateLimitQuotas",
          GrpcMessageEncoder.encoder(),
          GrpcMessageDecoder.decoder(RateLimitQuotaResponse.getDefaultInstance()));
  private static final Duration TICK = Duration.ofMillis(100);
  private static final String NO_FILES = "domain: d\ndescriptors: []\n";

  /** One stream and the messages received on it. */
  private static final class QuotaClient {
    final GrpcClientRequest<RateLimitQuotaUsageReports, RateLimitQuotaResponse> request;
    final List<BucketAction> received = new CopyOnWriteArrayList<>();
    final AtomicInteger messages = new AtomicInteger();
    final CompletableFuture<GrpcStatus> ended = new CompletableFuture<>();

    QuotaClient(EnvoyTestServer server) {
      request = EnvoyTestServer.await(server.call(STREAM));
      request
          .response()
          .onSuccess(
              response -> {
                response.handler(
                    message -> {
                      messages.incrementAndGet();
                      received.addAll(message.getBucketActionList());
                    });
                response.endHandler(end -> ended.complete(response.status()));
                response.exceptionHandler(ended::completeExceptionally);
              })
          .onFailure(ended::completeExceptionally);
    }

    void report(String domain, String user, long allowed, long denied) {
      RateLimitQuotaUsageReports.Builder reports =
          RateLimitQuotaUsageReports.newBuilder().setDomain(domain);
      reports
          .addBucketQuotaUsagesBuilder()
          .setNumRequestsAllowed(allowed)
          .setNumRequestsDenied(denied)
          .setTimeElapsed(com.google.protobuf.Duration.newBuilder().setNanos(100_000_000))
          .getBucketIdBuilder()
          .putBucket("user", user);
      EnvoyTestServer.await(request.write(reports.build()));
    }

    BucketAction last() {
      await().until(() -> !received.isEmpty());
      return received.get(received.size() - 1);
    }
  }

  private static EnvoyTestServer server(UnaryOperator<ServerConfig> change) {
    return EnvoyTestServer.with(NO_FILES, change, TICK);
  }

  @Test
  void assignsAShareOfTheRulesLimit() {
    try (EnvoyTestServer server = server(UnaryOperator.identity())) {
      QuotaClient talk = new QuotaClient(server);
      talk.report("shop", "1", 0, 1); // per-user: 2/h
      talk.last();
      BucketAction action = talk.received.get(0);

      assertThat(action.getBucketId().getBucketMap()).containsEntry("user", "1");
      assertThat(action.getQuotaAssignmentAction().getRateLimitStrategy().getTokenBucket())
          .satisfies(bucket -> assertThat(bucket.getMaxTokens()).isBetween(1, 2));
      assertThat(action.getQuotaAssignmentAction().hasAssignmentTimeToLive()).isTrue();
    }
  }

  @Test
  void assignsThousandsOfBucketsInFewMessages() {
    try (EnvoyTestServer server = server(UnaryOperator.identity())) {
      RateLimitQuotaUsageReports.Builder reports =
          RateLimitQuotaUsageReports.newBuilder().setDomain("shop");
      for (int i = 0; i < 5000; i++) {
        reports
            .addBucketQuotaUsagesBuilder()
            .setNumRequestsDenied(1)
            // A long report interval keeps the bucket alive on a busy machine.
            .setTimeElapsed(com.google.protobuf.Duration.newBuilder().setSeconds(10))
            .getBucketIdBuilder()
            .putBucket("user", "u" + i);
      }
      QuotaClient talk = new QuotaClient(server);
      EnvoyTestServer.await(talk.request.write(reports.build()));

      await()
          .atMost(20, TimeUnit.SECONDS)
          .until(
              () ->
                  talk.received.stream().map(BucketAction::getBucketId).distinct().count() >= 5000);
      assertThat(talk.messages.get()).isLessThan(200);
    }
  }

  @Test
  void envoysTogetherKeepToTheLimit() {
    try (EnvoyTestServer server = server(UnaryOperator.identity())) {
      QuotaClient one = new QuotaClient(server);
      QuotaClient other = new QuotaClient(server);
      one.report("shop", "1", 0, 5);
      one.last();
      other.report("shop", "1", 0, 5);
      BucketAction second = other.last();

      // The first Envoy has all; without a report of it nothing is refunded.
      assertThat(second.getQuotaAssignmentAction().getRateLimitStrategy().hasBlanketRule())
          .isTrue();
      assertThat(server.http.admin("/metrics").body())
          .contains("weir_quota_streams 2.0", "weir_quota_buckets 1.0")
          .contains("weir_quota_requests_total{outcome=\"denied\"} 10.0");
    }
  }

  @Test
  void removesDisconnectedEnvoys() {
    try (EnvoyTestServer server = server(UnaryOperator.identity())) {
      QuotaClient talk = new QuotaClient(server);
      talk.report("shop", "1", 0, 5);
      talk.last();
      talk.request.cancel();

      await()
          .atMost(20, TimeUnit.SECONDS)
          .untilAsserted(
              () ->
                  assertThat(server.http.admin("/metrics").body())
                      .contains("weir_quota_streams 0.0", "weir_quota_buckets 0.0"));
    }
  }

  @Test
  void endsTheStreamWhenTheClientDoes() throws Exception {
    try (EnvoyTestServer server = server(UnaryOperator.identity())) {
      QuotaClient talk = new QuotaClient(server);
      talk.report("shop", "1", 0, 5);
      talk.request.end();
      assertThat(talk.ended.get(10, TimeUnit.SECONDS)).isEqualTo(GrpcStatus.OK);
    }
  }

  @Test
  void rejectsReportsWithoutADomainOrABucket() throws Exception {
    try (EnvoyTestServer server = server(UnaryOperator.identity())) {
      QuotaClient nowhere = new QuotaClient(server);
      nowhere.report("", "1", 0, 5);
      QuotaClient nothing = new QuotaClient(server);
      RateLimitQuotaUsageReports.Builder reports =
          RateLimitQuotaUsageReports.newBuilder().setDomain("shop");
      reports.addBucketQuotaUsagesBuilder();
      EnvoyTestServer.await(nothing.request.write(reports.build()));

      assertThat(nowhere.ended.get(10, TimeUnit.SECONDS)).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
      assertThat(nothing.ended.get(10, TimeUnit.SECONDS)).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    }
  }

  @Test
  void deniesAllIfARuleFailsClosedAndTheStoreIsUnavailable() {
    UnaryOperator<ServerConfig> storeAway =
        config -> config.redis(RedisOptions.of("redis://127.0.0.1:1"));
    try (EnvoyTestServer server = server(storeAway)) {
      await()
          .untilAsserted(
              () -> {
                java.nio.file.Files.writeString(
                    server.http.rules,
                    TestServer.document("{ id: c, key: [user], limit: 2/h, on_fail: closed }"));
                assertThat(server.http.server.rules().rule("c")).isPresent();
              });
      QuotaClient talk = new QuotaClient(server);
      talk.report("shop", "1", 0, 5);
      BucketAction action = talk.last();

      assertThat(action.getQuotaAssignmentAction().getAssignmentTimeToLive().getSeconds()).isOne();
      assertThat(action.getQuotaAssignmentAction().getRateLimitStrategy().getBlanketRule())
          .isEqualTo(RateLimitStrategy.BlanketRule.DENY_ALL);
    }
  }

  @Test
  void endsStreamsWhenTheServerStops() throws Exception {
    EnvoyTestServer server = server(UnaryOperator.identity());
    QuotaClient talk = new QuotaClient(server);
    talk.report("shop", "1", 0, 5);
    talk.last();
    long begun = System.nanoTime();
    server.http.server.close();
    assertThat(talk.ended.get(10, TimeUnit.SECONDS)).isEqualTo(GrpcStatus.UNAVAILABLE);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
    server.close();
  }
}

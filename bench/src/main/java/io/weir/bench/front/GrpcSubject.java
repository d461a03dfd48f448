package io.weir.bench.front;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.server.GrpcServer;
import io.weir.server.WeirServer;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The gRPC servers that are compared: Weir's {@code ShouldRateLimit}, and a Vert.x handler that
 * reads the same request and writes a response of the same shape. {@link #main} runs either in a
 * process.
 */
enum GrpcSubject {
  BARE,
  WEIR;

  static final String METHOD = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

  private static final String CONFIG =
      """
      domain: shop
      descriptors:
        - key: user
          rate_limit: { unit: day, requests_per_unit: 4000000000 }
      """;

  /** The request of every call. */
  static byte[] question() {
    return RateLimitRequest.newBuilder()
        .setDomain("shop")
        .addDescriptors(
            RateLimitDescriptor.newBuilder()
                .addEntries(
                    RateLimitDescriptor.Entry.newBuilder().setKey("user").setValue("user:1234")))
        .build()
        .toByteArray();
  }

  public static void main(String[] args) throws Exception {
    int port = valueOf(args[0]) == WEIR ? startWeir() : startBare();
    System.out.println(ServerProcess.PORT + port);
    while (System.in.read() >= 0) {}
    Runtime.getRuntime().halt(0);
  }

  private static int startWeir() throws Exception {
    Path folder = Files.createTempDirectory("weir-bench");
    Path file = Files.writeString(folder.resolve("shop.yaml"), CONFIG);
    file.toFile().deleteOnExit();
    folder.toFile().deleteOnExit();
    ListenAddress anyPort = new ListenAddress("127.0.0.1", 0);
    ServerConfig config = ServerConfig.DEFAULT.http(anyPort).admin(anyPort).grpc(anyPort);
    // The guard sheds load; here the load is the measurement.
    return WeirServer.start(config.envoy(config.envoy().folder(folder)))
        .grpc()
        .orElseThrow()
        .port();
  }

  private static int startBare() throws Exception {
    int loops = Runtime.getRuntime().availableProcessors();
    AtomicInteger port = new AtomicInteger();
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(loops));
    vertx
        .deployVerticle(() -> new Bare(port), new DeploymentOptions().setInstances(loops))
        .await(10, TimeUnit.SECONDS);
    return port.get();
  }

  private static final class Bare extends AbstractVerticle {
    private final AtomicInteger port;

    Bare(AtomicInteger port) {
      this.port = port;
    }

    @Override
    public void start(Promise<Void> started) {
      ServiceMethod<RateLimitRequest, RateLimitResponse> method =
          ServiceMethod.server(
              ServiceName.create("envoy.service.ratelimit.v3", "RateLimitService"),
              "ShouldRateLimit",
              GrpcMessageEncoder.encoder(),
              GrpcMessageDecoder.decoder(RateLimitRequest.getDefaultInstance()));
      GrpcServer services =
          GrpcServer.server(vertx)
              .callHandler(
                  method, call -> call.handler(question -> call.response().end(answer(question))));
      vertx
          .createHttpServer()
          .requestHandler(services)
          .listen(-1, "127.0.0.1")
          .onSuccess(server -> port.set(server.actualPort()))
          .<Void>mapEmpty()
          .onComplete(started);
    }

    private static RateLimitResponse answer(RateLimitRequest question) {
      RateLimitResponse.Builder answer =
          RateLimitResponse.newBuilder().setOverallCode(RateLimitResponse.Code.OK);
      for (int i = 0; i < question.getDescriptorsCount(); i++) {
        answer.addStatuses(
            DescriptorStatus.newBuilder()
                .setCode(RateLimitResponse.Code.OK)
                .setCurrentLimit(
                    RateLimit.newBuilder()
                        .setRequestsPerUnit((int) 4_000_000_000L)
                        .setUnit(RateLimit.Unit.DAY))
                .setLimitRemaining(1_000_000_000)
                .setDurationUntilReset(com.google.protobuf.Duration.newBuilder().setSeconds(1000)));
      }
      return answer.build();
    }
  }
}

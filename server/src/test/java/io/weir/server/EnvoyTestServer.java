package io.weir.server;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.InvalidStatusException;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

/** A real server with a configuration folder for Envoy, and a client that asks it over gRPC. */
final class EnvoyTestServer implements AutoCloseable {
  private static final ServiceMethod<RateLimitResponse, RateLimitRequest> SHOULD_RATE_LIMIT =
      ServiceMethod.client(
          ServiceName.create("envoy.service.ratelimit.v3.RateLimitService"),
          "ShouldRateLimit",
          GrpcMessageEncoder.encoder(),
          GrpcMessageDecoder.decoder(RateLimitResponse.getDefaultInstance()));

  final TestServer http;
  final Path folder;
  private final Vertx vertx = Vertx.vertx();
  private final GrpcClient client = GrpcClient.client(vertx);
  private final HttpClient http2 =
      vertx.createHttpClient(
          new HttpClientOptions()
              .setProtocolVersion(HttpVersion.HTTP_2)
              .setHttp2ClearTextUpgrade(false));

  private EnvoyTestServer(TestServer http, Path folder) {
    this.http = http;
    this.folder = folder;
  }

  /** A server with this file as its configuration, and one rule of its own. */
  static EnvoyTestServer with(String file) {
    return with(file, UnaryOperator.identity());
  }

  static EnvoyTestServer with(String file, UnaryOperator<ServerConfig> change) {
    return with(file, change, Connections.TICK);
  }

  /** A server that counts time in ticks of this length. */
  static EnvoyTestServer with(String file, UnaryOperator<ServerConfig> change, Duration tick) {
    try {
      Path folder = Files.createTempDirectory("weir-envoy");
      Files.writeString(folder.resolve("config.yaml"), file);
      TestServer http =
          TestServer.with(
              config -> change.apply(config.envoy(config.envoy().folder(folder))),
              tick,
              "{ id: per-user, key: [user], limit: 2/h, on_missing: skip }",
              "{ id: pay, match: { path: /pay, methods: [POST] }, key: [tenant], limit: 1/min }");
      return new EnvoyTestServer(http, folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The request in the JSON form of the protocol. */
  static RateLimitRequest request(String json) {
    try {
      RateLimitRequest.Builder request = RateLimitRequest.newBuilder();
      JsonFormat.parser().merge(json, request);
      return request.build();
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The answer in the JSON form of the protocol. */
  static RateLimitResponse answer(String json) {
    try {
      RateLimitResponse.Builder answer = RateLimitResponse.newBuilder();
      JsonFormat.parser().merge(json, answer);
      return answer.build();
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Descriptors as tests write them: {@code "user=1 path=/a"} is one of two entries. */
  static RateLimitRequest.Builder about(String domain, String... descriptors) {
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain(domain);
    for (String descriptor : descriptors) {
      var built = request.addDescriptorsBuilder();
      for (String entry : descriptor.split(" ")) {
        int equals = entry.indexOf('=');
        built
            .addEntriesBuilder()
            .setKey(entry.substring(0, equals))
            .setValue(entry.substring(equals + 1));
      }
    }
    return request;
  }

  RateLimitResponse ask(String domain, String... descriptors) {
    return ask(about(domain, descriptors).build());
  }

  RateLimitResponse ask(RateLimitRequest request) {
    return await(begin(request));
  }

  /** The status with which a request is turned down. */
  GrpcStatus refusal(RateLimitRequest request) {
    try {
      await(begin(request));
      return GrpcStatus.OK;
    } catch (IllegalStateException e) {
      if (e.getCause() instanceof InvalidStatusException status) {
        return status.actualStatus();
      }
      throw e;
    }
  }

  private Future<RateLimitResponse> begin(RateLimitRequest request) {
    return call(SHOULD_RATE_LIMIT)
        .compose(
            call -> {
              call.end(request);
              return call.response();
            })
        .compose(response -> response.last());
  }

  <A, Q> Future<GrpcClientRequest<Q, A>> call(ServiceMethod<A, Q> method) {
    Address address = http.server.grpc().orElseThrow();
    return client.request(SocketAddress.inetSocketAddress(address.port(), address.host()), method);
  }

  /** A call of which only the headers are sent. */
  HttpClientRequest half() {
    Address address = http.server.grpc().orElseThrow();
    HttpClientRequest request =
        await(
            http2.request(
                HttpMethod.POST,
                address.port(),
                address.host(),
                "/" + SHOULD_RATE_LIMIT.fullMethodName()));
    request.exceptionHandler(broken -> {});
    request.setChunked(true).putHeader("content-type", "application/grpc").sendHead();
    return request;
  }

  static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    await(vertx.close());
    http.close();
  }
}

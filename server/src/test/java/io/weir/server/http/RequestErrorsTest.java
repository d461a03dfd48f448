package io.weir.server.http;

import static io.weir.server.fixture.EnvoyTestServer.about;
import static io.weir.server.fixture.EnvoyTestServer.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.weir.Limit;
import io.weir.Ratio;
import io.weir.engine.Engine;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.Schedule;
import io.weir.rules.envoy.EnvoyDomain;
import io.weir.server.config.EnvoySettings;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.GatewaySettings;
import io.weir.server.config.ListenAddress;
import io.weir.server.envoy.EnvoyFrontEnd;
import io.weir.server.envoy.EnvoyReloader;
import io.weir.server.envoy.GrpcRouter;
import io.weir.server.fixture.EchoUpstream;
import io.weir.server.front.CallerAuth;
import io.weir.server.front.GuardedCalls;
import io.weir.server.front.LoadShedder;
import io.weir.server.front.RequestLimiter;
import io.weir.server.gateway.Gateway;
import io.weir.server.gateway.UpstreamMetrics;
import io.weir.server.listen.ListenerGroup;
import io.weir.server.metrics.Metrics;
import io.weir.testkit.LogCapture;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that end in an error inside Weir are answered, logged with their trace, and ended. */
@Timeout(60)
class RequestErrorsTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";
  private static final String TRACEPARENT = "00-" + TRACE + "-" + SPAN + "-01";
  private static final ListenAddress ANY_PORT = new ListenAddress("127.0.0.1", 0);
  private static final ServiceMethod<RateLimitResponse, Buffer> SHOULD_RATE_LIMIT =
      ServiceMethod.client(
          ServiceName.create("envoy.service.ratelimit.v3.RateLimitService"),
          "ShouldRateLimit",
          GrpcMessageEncoder.IDENTITY,
          GrpcMessageDecoder.decoder(RateLimitResponse.getDefaultInstance()));

  private final InternalErrors errors = new InternalErrors();
  private final Metrics metrics = new Metrics(errors);
  private final ListenerGroup ports =
      new ListenerGroup(FrontEndSettings.DEFAULT, errors, ConnectionTracker.TICK);
  private final Vertx vertx = Vertx.vertx();
  private final LogCapture log = LogCapture.of(InternalErrors.class);

  @AfterEach
  void close() {
    log.close();
    await(vertx.close());
    ports.close();
  }

  private void isLoggedOnceWithItsTrace() {
    assertThat(log.messages()).singleElement().asString().startsWith("internal error ");
    assertThat(log.besides()).containsExactly(Map.of("trace_id", TRACE, "span_id", SPAN));
    assertThat(errors.count()).isEqualTo(1);
  }

  @Test
  void overHttp() throws Exception {
    Endpoint buggy =
        (exchange, body) -> {
          throw new IllegalStateException("a bug");
        };
    ListenAddress address =
        ports.open(
            ListenerGroup.HTTP,
            ANY_PORT,
            loop -> request -> new HttpExchange(request, loop).answerWith(buggy, new byte[0]));

    assertThat(status(address)).isEqualTo(503);
    isLoggedOnceWithItsTrace();
  }

  private static int status(ListenAddress address) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + address + "/"))
            .header("traceparent", TRACEPARENT)
            .build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode();
  }

  /**
   * A clock that fails once, while rules are matched. An error in a store would become an {@code
   * on_fail} decision instead.
   */
  private static final class FailingOnce implements TimeSource {
    private final AtomicBoolean fails = new AtomicBoolean();

    @Override
    public long micros() {
      return SystemTime.INSTANCE.micros();
    }

    @Override
    public long wallMicros() {
      if (fails.getAndSet(false)) {
        throw new StackOverflowError("once");
      }
      return SystemTime.INSTANCE.wallMicros();
    }

    @Override
    public CompletableFuture<Void> delay(Duration delay) {
      return SystemTime.INSTANCE.delay(delay);
    }
  }

  private GrpcStatus ask(ListenAddress address) {
    GrpcClientRequest<Buffer, RateLimitResponse> call =
        await(
            GrpcClient.client(vertx)
                .request(
                    SocketAddress.inetSocketAddress(address.port(), address.host()),
                    SHOULD_RATE_LIMIT));
    call.headers().set("traceparent", TRACEPARENT);
    call.end(Buffer.buffer(about(EnvoyDomain.OWN_RULES, "user=1").build().toByteArray()));
    GrpcClientResponse<Buffer, RateLimitResponse> response = await(call.response());
    response.handler(any -> {});
    await(response.end().otherwiseEmpty());
    return response.status();
  }

  private Engine engine(FailingOnce time) {
    Schedule always =
        new Schedule(
            Set.of(), LocalTime.MIDNIGHT, LocalTime.MIDNIGHT, ZoneOffset.UTC, Ratio.of("0.5"));
    return Engine.builder()
        .rules(RuleSet.of(Rule.named("all").limit(Limit.perHour(9)).schedule(always).build()))
        .time(time)
        .listener(metrics)
        .build();
  }

  private static LoadShedder guard() {
    return new LoadShedder(Limit.perSecond(1000), 1000, SystemTime.INSTANCE);
  }

  @Test
  void throughTheGateway() throws Exception {
    FailingOnce time = new FailingOnce();
    try (Engine engine = engine(time);
        EchoUpstream upstream = new EchoUpstream()) {
      GatewaySettings settings =
          GatewaySettings.NONE.upstreams(List.of(GatewaySettings.Upstream.of("/", upstream.url())));
      RequestLimiter front =
          new RequestLimiter(
              engine,
              new GuardedCalls(guard(), SystemTime.INSTANCE, took -> {}),
              FrontEndSettings.DEFAULT);
      ListenAddress address =
          ports.open(
              ListenerGroup.GATEWAY,
              ANY_PORT,
              60,
              loop -> new Gateway(loop, front, settings, new UpstreamMetrics(), 1));
      time.fails.set(true);

      assertThat(status(address)).isEqualTo(503);
      isLoggedOnceWithItsTrace();
      assertThat(status(address)).isEqualTo(200);
    }
  }

  @Test
  void overGrpc() throws Exception {
    FailingOnce time = new FailingOnce();
    Engine engine = engine(time);
    time.fails.set(true);
    try (EnvoyFrontEnd front =
        new EnvoyFrontEnd(
            EnvoyReloader.open(EnvoySettings.DEFAULT, Optional.empty()),
            EnvoySettings.DEFAULT,
            engine,
            guard(),
            metrics,
            ConnectionTracker.TICK)) {
      CallerAuth anyone = new CallerAuth(FrontEndSettings.DEFAULT.callers());
      ListenAddress address =
          ports.open(
              ListenerGroup.GRPC,
              ANY_PORT,
              loop -> new GrpcRouter(loop, anyone, front, () -> true, ConnectionTracker.TICK));

      assertThat(ask(address)).isEqualTo(GrpcStatus.UNAVAILABLE);
      isLoggedOnceWithItsTrace();
      assertThat(ask(address)).isEqualTo(GrpcStatus.OK);
      assertThat(metrics.scrape().lines())
          .contains(
              "weir_envoy_requests_total{outcome=\"unavailable\"} 1.0",
              "weir_envoy_requests_total{outcome=\"ok\"} 1.0");
    } finally {
      engine.close();
    }
  }
}

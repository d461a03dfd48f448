package io.weir.bench.front;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import io.vertx.httpproxy.HttpProxy;
import io.weir.redis.RedisOptions;
import io.weir.server.WeirServer;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.GatewaySettings;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The Java proxies that are compared. {@code main} starts one in front of an upstream, given the
 * upstream's port, and the port of a Redis if one is used.
 */
enum GatewaySubject {
  /** Plain vertx-http-proxy. */
  PROXY,
  /** Weir's gateway without a rule that applies. */
  OFF,
  /** With a limit per address, in memory. */
  MEMORY,
  /** With a limit per address, shared through Redis. */
  REDIS;

  private static final String RULE =
      "version: 1\nrules:\n- { id: all, key: [ip], mode: %s, limit: { rate: 1000000/s } }\n";

  public static void main(String[] args) throws Exception {
    int upstream = Integer.parseInt(args[1]);
    GatewaySubject subject = valueOf(args[0]);
    int port = subject == PROXY ? startProxy(upstream) : startWeir(subject, upstream, args);
    System.out.println(ServerProcess.PORT + port);
    while (System.in.read() >= 0) {}
    Runtime.getRuntime().halt(0);
  }

  private static int startWeir(GatewaySubject subject, int upstream, String[] args)
      throws Exception {
    Path rules = Files.createTempFile("weir-bench", ".yaml");
    rules.toFile().deleteOnExit();
    Files.writeString(rules, RULE.formatted(subject == OFF ? "off" : "enforce"));
    ListenAddress anyPort = new ListenAddress("127.0.0.1", 0);
    GatewaySettings gateway =
        GatewaySettings.NONE
            .address(anyPort)
            .upstreams(List.of(GatewaySettings.Upstream.of("/", "http://127.0.0.1:" + upstream)));
    ServerConfig config =
        ServerConfig.DEFAULT
            .admin(anyPort)
            .rules(rules)
            .frontEnd(FrontEndSettings.DEFAULT.gateway(gateway));
    if (subject == REDIS) {
      config = config.redis(RedisOptions.of("redis://127.0.0.1:" + args[2]));
    }
    return WeirServer.start(config).gateway().port();
  }

  private static int startProxy(int upstream) throws Exception {
    int loops = Runtime.getRuntime().availableProcessors();
    AtomicInteger port = new AtomicInteger();
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(loops));
    vertx
        .deployVerticle(
            () -> new Proxy(upstream, port), new DeploymentOptions().setInstances(loops))
        .await(10, TimeUnit.SECONDS);
    return port.get();
  }

  private static final class Proxy extends AbstractVerticle {
    private final int upstream;
    private final AtomicInteger port;

    Proxy(int upstream, AtomicInteger port) {
      this.upstream = upstream;
      this.port = port;
    }

    @Override
    public void start(Promise<Void> started) {
      HttpProxy proxy =
          HttpProxy.reverseProxy(
                  vertx.createHttpClient(
                      new HttpClientOptions(), new PoolOptions().setHttp1MaxSize(500)))
              .origin(upstream, "127.0.0.1");
      vertx
          .createHttpServer()
          .requestHandler(proxy)
          .listen(-1, "127.0.0.1")
          .onSuccess(server -> port.set(server.actualPort()))
          .<Void>mapEmpty()
          .onComplete(started);
    }
  }
}

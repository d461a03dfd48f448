package io.weir.bench.front;

import io.weir.bench.report.Report;
import io.weir.bench.report.Table;
import io.weir.bench.run.RunLengths;
import io.weir.testkit.process.FreePorts;
import io.weir.testkit.process.NginxServer;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The gateway next to other proxies in front of the same upstream, loaded in turns. */
public final class GatewaySection {
  private static final String UPSTREAM =
      "keepalive_requests 1000000; server { listen 127.0.0.1:%d; location / { return 200 'hello'; } }";
  private static final String NGINX =
      "keepalive_requests 1000000; %s upstream app { server 127.0.0.1:%d; keepalive 128; keepalive_requests 1000000; }"
          + " server { listen 127.0.0.1:%d; location / { %s proxy_http_version 1.1;"
          + " proxy_set_header Connection ''; proxy_pass http://app; } }";
  private static final String ZONE =
      "limit_req_zone $binary_remote_addr zone=all:10m rate=1000000r/s;";
  private static final String LIMIT = "limit_req zone=all burst=1000000 nodelay;";

  private static final String OFF = "**Weir**, no rule applies";
  private static final String MEMORY = "**Weir**, limit in memory";

  private final RunLengths lengths;
  private final Report report;

  public GatewaySection(RunLengths lengths, Report report) {
    this.lengths = lengths;
    this.report = report;
  }

  public void run() {
    String missing = LoadTools.missing("wrk", "h2load", "nginx");
    if (!missing.isEmpty()) {
      System.err.println("  gateway: left out, as these are not installed: " + missing);
      return;
    }
    System.err.println("  gateway, asked by wrk: 64 connections");
    int up = FreePorts.free();
    try (NginxServer upstream = NginxServer.start(up, UPSTREAM.formatted(up));
        RedisServer ours = RedisServer.start();
        RedisServer theirs = RedisServer.start();
        ServerProcess proxy = java("vertx-http-proxy", GatewaySubject.PROXY, upstream, ours);
        ServerProcess off = java(OFF, GatewaySubject.OFF, upstream, ours);
        ServerProcess memory = java(MEMORY, GatewaySubject.MEMORY, upstream, ours);
        ServerProcess redis =
            java("**Weir**, limit on Redis", GatewaySubject.REDIS, upstream, ours);
        ServerProcess plain = nginx("nginx, no limit", up, "", "");
        ServerProcess limited = nginx("nginx, limit_req", up, ZONE, LIMIT)) {
      Optional<ServerProcess> spring = SpringSubject.start(up, theirs.port());
      try {
        List<ServerProcess> all =
            new ArrayList<>(List.of(proxy, off, memory, redis, plain, limited));
        spring.ifPresent(all::add);
        ServerTurnRunner runner = new ServerTurnRunner(all);
        runner.run(lengths, LoadTools::get);
        Table table = report.table("The gateway");
        runner.fill(table);
        report.atLeast(
            "gateway with a limit, to vertx-http-proxy", runner.ratio(memory, proxy), 0.95, "x");
        spring.ifPresent(
            it ->
                report.atLeast(
                    "gateway on Redis, to Spring Cloud Gateway on Redis",
                    runner.ratio(redis, it),
                    2.5,
                    "x"));
        cost(table, upstream, ours);
      } finally {
        spring.ifPresent(ServerProcess::close);
      }
    }
  }

  private void cost(Table table, NginxServer upstream, RedisServer redis) {
    System.err.println("  gateway, with a limit and without");
    PairedRun pairs = new PairedRun(lengths, LoadTools::get);
    HalfLoad halfLoad = new HalfLoad(lengths.httpSeconds());
    pairs.run(
        () -> java(OFF, GatewaySubject.OFF, upstream, redis),
        () -> java(MEMORY, GatewaySubject.MEMORY, upstream, redis),
        halfLoad);
    report.atLeast(
        "gateway with a limit, to itself without, pair by pair", pairs.ratio(), 0.95, "x");
    halfLoad.fill(table, OFF, MEMORY);
    halfLoad.report(report);
  }

  private static ServerProcess java(
      String title, GatewaySubject subject, NginxServer upstream, RedisServer redis) {
    return ServerProcess.java(
        title,
        GatewaySubject.class,
        subject.name(),
        String.valueOf(upstream.port()),
        String.valueOf(redis.port()));
  }

  private static ServerProcess nginx(String title, int upstream, String zone, String limit) {
    int port = FreePorts.free();
    NginxServer server = NginxServer.start(port, NGINX.formatted(zone, upstream, port, limit));
    return new ServerProcess(title, port, () -> Duration.ZERO, server);
  }
}

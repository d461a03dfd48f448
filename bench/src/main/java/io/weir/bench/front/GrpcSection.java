package io.weir.bench.front;

import io.weir.bench.Pace;
import io.weir.bench.Report;
import java.util.List;

/** {@code ShouldRateLimit} against a bare handler: two servers, under load by turns. */
public final class GrpcSection {
  private final Pace pace;
  private final Report report;

  public GrpcSection(Pace pace, Report report) {
    this.pace = pace;
    this.report = report;
  }

  public void run() {
    String missing = LoadTools.missing("h2load");
    if (!missing.isEmpty()) {
      System.err.println("  grpc: left out, as " + missing + " is not installed");
      return;
    }
    System.err.println("  grpc, asked by h2load: 8 connections, 32 streams each");
    byte[] question = GrpcSubject.question();
    try (Contender bare =
            Contender.java("bare Vert.x gRPC handler", GrpcSubject.class, GrpcSubject.BARE.name());
        Contender weir =
            Contender.java(
                "**Weir** ShouldRateLimit", GrpcSubject.class, GrpcSubject.WEIR.name())) {
      Race race = new Race(List.of(bare, weir));
      race.run(
          pace, (port, seconds) -> LoadTools.grpc(port, seconds, GrpcSubject.METHOD, question));
      race.fill(report.table("gRPC"));
      report.atLeast("gRPC, to the bare handler", race.ratio(weir, bare), 0.85, "x");
    }
  }
}

package io.weir.bench.front;

import io.weir.bench.report.Report;
import io.weir.bench.run.RunLengths;

/** {@code ShouldRateLimit} against a bare handler: two servers, loaded in turns. */
public final class GrpcSection {
  private static final String BARE = "bare Vert.x gRPC handler";
  private static final String WEIR = "**Weir** ShouldRateLimit";

  private final RunLengths lengths;
  private final Report report;

  public GrpcSection(RunLengths lengths, Report report) {
    this.lengths = lengths;
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
    PairedRun pairs =
        new PairedRun(
            lengths,
            (port, seconds) -> LoadTools.grpc(port, seconds, GrpcSubject.METHOD, question));
    pairs.run(
        () -> ServerProcess.java(BARE, GrpcSubject.class, GrpcSubject.BARE.name()),
        () -> ServerProcess.java(WEIR, GrpcSubject.class, GrpcSubject.WEIR.name()),
        (bare, weir, rate) -> {});
    pairs.fill(report.table("gRPC"), BARE, WEIR);
    report.atLeast("gRPC, to the bare handler, pair by pair", pairs.ratio(), 0.85, "x");
  }
}

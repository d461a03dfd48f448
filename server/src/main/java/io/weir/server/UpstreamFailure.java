package io.weir.server;

import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.TimeoutException;

/** What kept an upstream from answering, and what the client is told of it. */
enum UpstreamFailure {
  BUSY,
  LATE,
  UNREACHABLE,
  BROKEN;

  /**
   * What a failure means.
   *
   * @param sent whether the upstream was reached
   */
  static UpstreamFailure of(Throwable failure, boolean sent) {
    if (failure instanceof ConnectionPoolTooBusyException) {
      return BUSY;
    }
    return isTimeout(failure) ? LATE : sent ? BROKEN : UNREACHABLE;
  }

  static boolean isTimeout(Throwable failure) {
    return failure instanceof TimeoutException || failure instanceof ConnectTimeoutException;
  }

  /** Counts it, and returns what to answer. */
  HttpProblem counted(UpstreamCounts counts, HttpServerRequest request, Upstream upstream) {
    switch (this) {
      case BUSY:
        return HttpProblem.unavailable("all connections to the upstream are in use");
      case LATE:
        counts.late(request, upstream);
        return HttpProblem.gatewayTimeout("the upstream could not be reached in time");
      default:
        String how = this == BROKEN ? "broke off" : "cannot be reached";
        counts.failed(request, upstream, how);
        return HttpProblem.badGateway("the upstream " + how);
    }
  }
}

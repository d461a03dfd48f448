package io.weir.server.gateway;

import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.http.HttpProblemException;
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
  HttpProblemException countAndDescribe(
      UpstreamMetrics counts, HttpServerRequest request, Upstream upstream) {
    switch (this) {
      case BUSY:
        return HttpProblemException.unavailable("all connections to the upstream are in use");
      case LATE:
        counts.onTimeout(request, upstream);
        return HttpProblemException.gatewayTimeout("the upstream could not be reached in time");
      default:
        String how = this == BROKEN ? "broke off" : "cannot be reached";
        counts.onFailure(request, upstream, how);
        return HttpProblemException.badGateway("the upstream " + how);
    }
  }
}

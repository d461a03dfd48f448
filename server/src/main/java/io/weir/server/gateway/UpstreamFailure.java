package io.weir.server.gateway;

import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.http.HttpProblemException;
import java.util.concurrent.TimeoutException;

/** Why an upstream did not respond, and the response for the client. */
enum UpstreamFailure {
  BUSY,
  LATE,
  UNREACHABLE,
  BROKEN;

  /**
   * Classifies a failure.
   *
   * @param sent whether the request was sent
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

  /** Counts the failure, and returns the response. */
  HttpProblemException countAndDescribe(
      UpstreamMetrics counts, HttpServerRequest request, Upstream upstream) {
    switch (this) {
      case BUSY:
        return HttpProblemException.unavailable("all connections to the upstream are in use");
      case LATE:
        counts.onTimeout(request, upstream);
        return HttpProblemException.gatewayTimeout("the connection to the upstream timed out");
      default:
        String how = this == BROKEN ? "closed the connection" : "is unreachable";
        counts.onFailure(request, upstream, how);
        return HttpProblemException.badGateway("the upstream " + how);
    }
  }
}

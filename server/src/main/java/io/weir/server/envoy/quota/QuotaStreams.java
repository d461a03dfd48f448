package io.weir.server.envoy.quota;

import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import io.weir.server.envoy.grpc.GrpcErrorReporter;
import io.weir.server.envoy.grpc.InvalidRequestException;
import io.weir.server.envoy.grpc.StreamTimeouts;
import io.weir.server.envoy.grpc.UnaryHandler;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Handles the streams of {@code StreamRateLimitQuotas}: reports in, assignments out. */
public final class QuotaStreams
    implements Handler<GrpcServerRequest<RateLimitQuotaUsageReports, RateLimitQuotaResponse>> {
  /**
   * Cap on queued messages for a client that does not read. Each has up to 64 KiB, so the queue
   * holds the assignments of 10,000 buckets at 400 bytes each. Assignments beyond it are dropped
   * until the next period.
   */
  private static final int MAX_UNSENT = 64;

  private final Context context;
  private final GrpcMessageDecoder<RateLimitQuotaUsageReports> decoder;
  private final StreamTimeouts timeouts;
  private final GrpcErrorReporter errors;
  private final QuotaService quotaService;

  public QuotaStreams(
      Context context,
      GrpcMessageDecoder<RateLimitQuotaUsageReports> decoder,
      StreamTimeouts timeouts,
      GrpcErrorReporter errors,
      QuotaService quotaService) {
    this.context = context;
    this.decoder = decoder;
    this.timeouts = timeouts;
    this.errors = errors;
    this.quotaService = quotaService;
  }

  @Override
  public void handle(
      GrpcServerRequest<RateLimitQuotaUsageReports, RateLimitQuotaResponse> request) {
    new QuotaStream(request).begin();
  }

  /** One stream. */
  private final class QuotaStream extends StreamTimeouts.Entry implements Handler<GrpcMessage> {
    private final GrpcServerRequest<RateLimitQuotaUsageReports, RateLimitQuotaResponse> request;
    private QuotaService.@Nullable EnvoyConnection stream;
    private final Queue<RateLimitQuotaResponse> unsent = new ArrayDeque<>();
    private boolean over;

    QuotaStream(GrpcServerRequest<RateLimitQuotaUsageReports, RateLimitQuotaResponse> request) {
      this.request = request;
    }

    void begin() {
      timeouts.start(this); // for the first report
      request.invalidMessageHandler(
          why -> end(GrpcStatus.INVALID_ARGUMENT, "the message is too large"));
      request.exceptionHandler(gone -> leave());
      request.errorHandler(givenUp -> leave());
      request.endHandler(end -> end(GrpcStatus.OK, null));
      request.response().drainHandler(room -> write());
      request.messageHandler(this);
    }

    @Override
    public void onTimeout() {
      end(GrpcStatus.DEADLINE_EXCEEDED, "the request took too long to arrive");
    }

    @Override
    public void handle(GrpcMessage message) {
      if (over) {
        return;
      }
      if (UnaryHandler.isCompressed(message)) {
        end(GrpcStatus.INVALID_ARGUMENT, UnaryHandler.COMPRESSED);
        return;
      }
      try {
        take(decoder.decode(message));
      } catch (CodecException e) {
        end(GrpcStatus.INVALID_ARGUMENT, "the message cannot be read");
      } catch (InvalidRequestException e) {
        end(GrpcStatus.INVALID_ARGUMENT, e.getMessage());
      } catch (RuntimeException | Error e) {
        end(GrpcStatus.UNAVAILABLE, errors.report(e, request));
      }
    }

    private void take(RateLimitQuotaUsageReports reports) {
      QuotaService.EnvoyConnection known = stream;
      if (known == null) {
        if (reports.getDomain().isEmpty()) {
          throw new InvalidRequestException("the first report must name a domain");
        }
        timeouts.stop(this);
        known = quotaService.open(peer(), reports.getDomain(), this::send, this::endLater);
        stream = known;
      }
      known.onReport(reports.getBucketQuotaUsagesList());
    }

    private String peer() {
      SocketAddress address = request.connection().remoteAddress();
      return address == null ? "" : String.valueOf(address.hostAddress());
    }

    private void send(RateLimitQuotaResponse assignments) {
      context.runOnContext(
          now -> {
            // A client that does not read gets no further messages; its assignments expire.
            if (!over && unsent.size() < MAX_UNSENT) {
              unsent.add(assignments);
              write();
            }
          });
    }

    private void write() {
      while (!over && !unsent.isEmpty() && !request.response().writeQueueFull()) {
        request.response().write(unsent.remove());
      }
    }

    private void endLater() {
      context.runOnContext(now -> end(GrpcStatus.UNAVAILABLE, "this instance is stopping"));
    }

    private void end(GrpcStatus status, @Nullable String reason) {
      if (!over) {
        leave();
        // Closes the Envoy's half of the stream too.
        request
            .response()
            .status(status)
            .statusMessage(reason)
            .end()
            .onComplete(sent -> request.response().cancel());
      }
    }

    private void leave() {
      timeouts.stop(this);
      if (!over) {
        over = true;
        unsent.clear();
        if (stream != null) {
          stream.closed();
        }
      }
    }
  }
}

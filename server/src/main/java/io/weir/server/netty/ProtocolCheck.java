package io.weir.server.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Refuses HTTP/1 requests with a version other than HTTP/1.0 and HTTP/1.1. Vert.x would echo the
 * client's protocol name in the status line.
 */
public final class ProtocolCheck extends ChannelInboundHandlerAdapter {
  /** Vert.x's name for its handler of requests. */
  private static final String REQUEST_HANDLER = "handler";

  /** The failure of such a request; see {@code MalformedRequestHandler}. */
  public static final class UnknownProtocolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnknownProtocolException() {
      super("neither HTTP/1.0 nor HTTP/1.1", null, false, false);
    }
  }

  /** Checks all further requests, if the connection is HTTP/1. */
  public static void check(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      ChannelPipeline pipeline = base.channel().pipeline();
      if (pipeline.get("httpDecoder") != null) {
        pipeline.addBefore(REQUEST_HANDLER, null, new ProtocolCheck());
      }
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest request && request.decoderResult().isSuccess()) {
      HttpVersion version = request.protocolVersion();
      if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
        request.setProtocolVersion(HttpVersion.HTTP_1_1);
        request.setDecoderResult(DecoderResult.failure(new UnknownProtocolException()));
      }
    }
    context.fireChannelRead(message);
  }
}

package io.weir.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.net.impl.ConnectionBase;
import org.jspecify.annotations.Nullable;

/**
 * Resets the streams of an HTTP/2 connection whose host Vert.x would stumble over. It takes hosts
 * apart while it reads frames, and what it throws there closes the connection with all its streams:
 * where a proxy sends many clients' requests on one, one of them could end those of the others.
 */
final class StreamHosts extends Http2FrameListenerDecorator {
  private StreamHosts(Http2FrameListener next) {
    super(next);
  }

  /** Looks at all streams to come, if this is HTTP/2. */
  static void check(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      Http2ConnectionHandler handler = base.channel().pipeline().get(Http2ConnectionHandler.class);
      if (handler != null) {
        handler.decoder().frameListener(new StreamHosts(handler.decoder().frameListener()));
      }
    }
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext context,
      int stream,
      Http2Headers headers,
      int padding,
      boolean endOfStream)
      throws Http2Exception {
    check(stream, headers);
    super.onHeadersRead(context, stream, headers, padding, endOfStream);
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext context,
      int stream,
      Http2Headers headers,
      int dependency,
      short weight,
      boolean exclusive,
      int padding,
      boolean endOfStream)
      throws Http2Exception {
    check(stream, headers);
    super.onHeadersRead(
        context, stream, headers, dependency, weight, exclusive, padding, endOfStream);
  }

  private static void check(int stream, Http2Headers headers) throws Http2Exception {
    if (isEncoded(headers.authority()) || isEncoded(headers.get(HttpHeaders.HOST))) {
      throw Http2Exception.streamError(stream, Http2Error.PROTOCOL_ERROR, "this names no host");
    }
  }

  private static boolean isEncoded(@Nullable CharSequence host) {
    return host != null && NamedHost.isEncoded(host);
  }
}

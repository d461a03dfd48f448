package io.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Connection.PropertyKey;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Responds 400 to HTTP/2 streams whose method or host Vert.x cannot parse. Vert.x parses them while
 * it reads frames, and an exception there closes the connection with all its streams. Behind a
 * proxy that multiplexes clients on one connection, one client could then end the requests of the
 * others. We respond instead of resetting, because resets count towards the client's flood limit.
 */
final class Http2HeadValidator extends Http2FrameListenerDecorator {
  /** How long the body of a refused request is read and discarded, at most. */
  private static final long LINGER_MILLIS = 2000;

  /**
   * A connection with more refused streams than this in a window is closed. The number is above
   * that of resets, as one client of a proxy should not easily end the connection of the others.
   */
  static final int MAX_REFUSED = 1000;

  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Http2ConnectionHandler handler;
  private final PropertyKey refused;
  private long windowStart;
  private int refusedInWindow;

  /** The last valid host; most streams of a connection have the same. */
  private @Nullable CharSequence lastHost;

  private Http2HeadValidator(Http2ConnectionHandler handler, Http2FrameListener next) {
    super(next);
    this.handler = handler;
    this.refused = handler.connection().newKey();
  }

  /** Validates all further streams, if the connection is HTTP/2. */
  static void check(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      Http2ConnectionHandler handler = base.channel().pipeline().get(Http2ConnectionHandler.class);
      if (handler != null) {
        Http2FrameListener next = handler.decoder().frameListener();
        handler.decoder().frameListener(new Http2HeadValidator(handler, next));
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
    if (!isRefused(context, stream, headers)) {
      super.onHeadersRead(context, stream, headers, padding, endOfStream);
    }
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
    if (!isRefused(context, stream, headers)) {
      super.onHeadersRead(
          context, stream, headers, dependency, weight, exclusive, padding, endOfStream);
    }
  }

  @Override
  public int onDataRead(
      ChannelHandlerContext context, int stream, ByteBuf data, int padding, boolean endOfStream)
      throws Http2Exception {
    Http2Stream to = handler.connection().stream(stream);
    return to != null && Boolean.TRUE.equals(to.getProperty(refused))
        ? data.readableBytes() + padding // consumed
        : super.onDataRead(context, stream, data, padding, endOfStream);
  }

  private boolean isRefused(ChannelHandlerContext context, int id, Http2Headers headers) {
    Http2Stream stream = handler.connection().stream(id);
    if (stream == null) {
      return false;
    }
    Boolean known = stream.getProperty(refused);
    if (known != null) {
      return known; // these are trailers
    }
    boolean readable = isReadable(headers);
    stream.setProperty(refused, !readable);
    if (readable) {
      return false;
    }
    if (isTooMany()) {
      endConnection(context);
      return true;
    }
    Http2Headers answer = new DefaultHttp2Headers().status("400").setInt("content-length", 0);
    // Flushed once after all frames of a read, not stream by stream.
    handler.encoder().writeHeaders(context, id, answer, 0, true, context.newPromise());
    context.executor().schedule(() -> end(context, id), LINGER_MILLIS, TimeUnit.MILLISECONDS);
    return true;
  }

  private boolean isTooMany() {
    long now = System.nanoTime();
    if (refusedInWindow == 0 || now - windowStart > WINDOW_NANOS) {
      windowStart = now;
      refusedInWindow = 0;
    }
    return ++refusedInWindow > MAX_REFUSED;
  }

  private void endConnection(ChannelHandlerContext context) {
    if (refusedInWindow == MAX_REFUSED + 1) { // else it is closing already
      handler.goAway(
          context,
          handler.connection().remote().lastStreamCreated(),
          Http2Error.ENHANCE_YOUR_CALM.code(),
          Unpooled.EMPTY_BUFFER,
          context.newPromise());
      context.flush();
      context.close();
    }
  }

  /**
   * Resets the stream if its body has not ended, so that it does not occupy a stream slot for ever.
   */
  private void end(ChannelHandlerContext context, int id) {
    if (handler.connection().stream(id) != null) {
      handler.resetStream(context, id, Http2Error.NO_ERROR.code(), context.newPromise());
      context.flush();
    }
  }

  private boolean isReadable(Http2Headers headers) {
    CharSequence method = headers.method();
    return method != null
        && HeaderSyntax.isName(method.toString())
        && isHost(headers.authority())
        && isHost(headers.get(HttpHeaders.HOST));
  }

  private boolean isHost(@Nullable CharSequence text) {
    if (text == null || text.equals(lastHost)) {
      return true;
    }
    if (HostHeader.isEncoded(text) || HostAndPort.parseAuthority(text.toString(), -1) == null) {
      return false;
    }
    lastHost = text;
    return true;
  }
}

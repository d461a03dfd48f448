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
 * Answers the streams of an HTTP/2 connection whose method or host Vert.x would stumble over. It
 * takes them apart while it reads frames, and what it throws there closes the connection with all
 * its streams: where a proxy sends many clients' requests on one, one of them could end those of
 * the others. So could resets, of which only so many are allowed; hence an answer.
 */
final class Http2HeadValidator extends Http2FrameListenerDecorator {
  /** What comes of the body of such a request is thrown away for at most this long. */
  private static final long LINGER_MILLIS = 2000;

  /**
   * A connection that brings more such streams than this in a window is closed. More than resets,
   * as one client of a proxy should not easily end the connection of the others.
   */
  static final int MOST_REFUSED = 1000;

  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Http2ConnectionHandler handler;
  private final PropertyKey refused;
  private long windowBegan;
  private int refusedInWindow;

  /** The host of the last stream that was read; most streams of a connection name the same. */
  private @Nullable CharSequence lastHost;

  private Http2HeadValidator(Http2ConnectionHandler handler, Http2FrameListener next) {
    super(next);
    this.handler = handler;
    this.refused = handler.connection().newKey();
  }

  /** Looks at all streams to come, if this is HTTP/2. */
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
        ? data.readableBytes() + padding // all of it is done with
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
    // Flushed when all that has been read is handled, and not stream by stream.
    handler.encoder().writeHeaders(context, id, answer, 0, true, context.newPromise());
    context.executor().schedule(() -> end(context, id), LINGER_MILLIS, TimeUnit.MILLISECONDS);
    return true;
  }

  private boolean isTooMany() {
    long now = System.nanoTime();
    if (refusedInWindow == 0 || now - windowBegan > WINDOW_NANOS) {
      windowBegan = now;
      refusedInWindow = 0;
    }
    return ++refusedInWindow > MOST_REFUSED;
  }

  private void endConnection(ChannelHandlerContext context) {
    if (refusedInWindow == MOST_REFUSED + 1) { // else it is being closed
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

  /** Nobody keeps a place among the streams of a connection with a body that does not end. */
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

  private boolean isHost(@Nullable CharSequence said) {
    if (said == null || said.equals(lastHost)) {
      return true;
    }
    if (HostHeader.isEncoded(said) || HostAndPort.parseAuthority(said.toString(), -1) == null) {
      return false;
    }
    lastHost = said;
    return true;
  }
}

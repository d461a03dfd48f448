package io.weir.server.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.nio.charset.StandardCharsets;

/**
 * Allows HTTP/2 on a clear-text connection only with prior knowledge, and ignores upgrades.
 *
 * <p>Vert.x also accepts an upgrade to {@code h2c} in the first HTTP/1 request, which browsers
 * never used and RFC 9113 dropped. It turns that request into a stream without Weir's checks of
 * HTTP/1 and HTTP/2 heads. Vert.x can switch upgrades off only together with prior knowledge. So
 * this filter removes the upgrade headers, and the request is answered in HTTP/1, as the protocol
 * allows.
 *
 * <p>Vert.x builds its pipeline when the first bytes differ from the HTTP/2 preface. So those bytes
 * are passed on alone, and the rest after the filter is inserted behind the decoder.
 */
final class UpgradeFilter extends ChannelInboundHandlerAdapter {
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final String H2C = "h2c";

  /** Vert.x's name for its handler of upgrades. */
  private static final String UPGRADE_HANDLER = "h2c";

  private int matched;

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    int from = bytes.readerIndex();
    int size = bytes.readableBytes();
    int i = 0;
    while (i < size && matched < PREFACE.length && bytes.getByte(from + i) == PREFACE[matched]) {
      i++;
      matched++;
    }
    if (matched < PREFACE.length && i == size) {
      context.fireChannelRead(bytes); // too few bytes to decide
    } else if (matched == PREFACE.length) {
      context.pipeline().remove(this);
      context.fireChannelRead(bytes);
    } else {
      onHttp1(context, bytes, i + 1);
    }
  }

  private void onHttp1(ChannelHandlerContext context, ByteBuf bytes, int decisive) {
    context.fireChannelRead(bytes.readRetainedSlice(decisive));
    ChannelPipeline pipeline = context.pipeline();
    if (pipeline.get(UPGRADE_HANDLER) != null) {
      pipeline.addBefore(UPGRADE_HANDLER, null, new FirstRequest());
    }
    context.fireChannelRead(bytes);
    pipeline.remove(this);
  }

  /** Removes the upgrade headers from the first request; Vert.x ignores them in later ones. */
  private static final class FirstRequest extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpRequest request) {
        HttpHeaders headers = request.headers();
        if (headers.contains(HttpHeaderNames.UPGRADE, H2C, true)) {
          headers.remove(HttpHeaderNames.UPGRADE);
          headers.remove("http2-settings");
        }
        context.pipeline().remove(this);
      }
      context.fireChannelRead(message);
    }
  }
}

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
 * Has a connection in clear text speak HTTP/2 only if it begins with it ("prior knowledge").
 *
 * <p>Vert.x also lets a first request of HTTP/1 ask for an upgrade to {@code h2c}, which browsers
 * never used and RFC 9113 dropped. It turns that request into a stream without the checks that
 * heads of HTTP/1 and HTTP/2 pass here. The upgrade cannot be switched off without prior knowledge,
 * so this removes the wish from the request, which is then answered in HTTP/1, as the protocol
 * allows.
 *
 * <p>Vert.x builds its pipeline when the first bytes differ from the preface of HTTP/2. So these
 * are passed on alone, and the rest when the filter is in its place behind the decoder.
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
      context.fireChannelRead(bytes); // too few to tell
    } else if (matched == PREFACE.length) {
      context.pipeline().remove(this);
      context.fireChannelRead(bytes);
    } else {
      isHttp1(context, bytes, i + 1);
    }
  }

  private void isHttp1(ChannelHandlerContext context, ByteBuf bytes, int decisive) {
    context.fireChannelRead(bytes.readRetainedSlice(decisive));
    ChannelPipeline pipeline = context.pipeline();
    if (pipeline.get(UPGRADE_HANDLER) != null) {
      pipeline.addBefore(UPGRADE_HANDLER, null, new FirstRequest());
    }
    context.fireChannelRead(bytes);
    pipeline.remove(this);
  }

  /** Removes the wish for an upgrade from the first request; no other can have it granted. */
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

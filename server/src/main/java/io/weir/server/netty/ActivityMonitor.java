package io.weir.server.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import org.jspecify.annotations.Nullable;

/**
 * Whether anything still moves on a connection, in either direction. It is felt for at every tick,
 * so that what moves costs next to nothing; Netty's own handler would look at a clock for every
 * read, and hang a listener on every write.
 */
public final class ActivityMonitor extends ChannelDuplexHandler {
  private final Channel channel;
  private boolean read;
  private boolean flushed;
  private int unsent;
  private long sentOfIt;
  private int silentTicks;

  private ActivityMonitor(Channel channel) {
    this.channel = channel;
  }

  /** Feels the pulse of a connection from now on. */
  public static ActivityMonitor of(HttpConnection connection) {
    return of(((ConnectionBase) connection).channel());
  }

  static ActivityMonitor of(Channel channel) {
    ActivityMonitor pulse = new ActivityMonitor(channel);
    channel.pipeline().addFirst(pulse);
    return pulse;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    read = true;
    context.fireChannelRead(message);
  }

  @Override
  public void flush(ChannelHandlerContext context) {
    flushed = true;
    context.flush();
  }

  /** Does something when the connection is closed, on its event loop. */
  public void whenClosed(Runnable action) {
    channel.closeFuture().addListener(closed -> action.run());
  }

  /** A tick of the timer; returns for how many of them nothing has moved. */
  public int tick() {
    ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
    @Nullable Object first = out == null ? null : out.current();
    int nowUnsent = first == null ? 0 : System.identityHashCode(first);
    long nowSent = out == null ? 0 : out.currentProgress();
    boolean moved =
        read || (flushed && first == null) || nowUnsent != unsent || nowSent != sentOfIt;
    silentTicks = moved ? 0 : silentTicks + 1;
    read = false;
    flushed = false;
    unsent = nowUnsent;
    sentOfIt = nowSent;
    return silentTicks;
  }

  /** Closes the connection without a word, as nobody takes one. */
  public void close() {
    ChannelHandlerContext context = channel.pipeline().context(this);
    if (context != null) { // else it is closed
      context.close();
    }
  }
}

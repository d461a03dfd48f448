package io.weir.server.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import org.jspecify.annotations.Nullable;

/**
 * Detects connections on which no byte moves in either direction. It samples once per tick, so that
 * reads and writes cost almost nothing; Netty's IdleStateHandler reads the clock for every read and
 * adds a listener to every write.
 */
public final class ActivityMonitor extends ChannelDuplexHandler {
  private final Channel channel;
  private boolean read;
  private boolean flushed;
  private int unsent;
  private long progress;
  private int silentTicks;

  private ActivityMonitor(Channel channel) {
    this.channel = channel;
  }

  /** Starts to monitor a connection. */
  public static ActivityMonitor of(HttpConnection connection) {
    return of(((ConnectionBase) connection).channel());
  }

  static ActivityMonitor of(Channel channel) {
    ActivityMonitor monitor = new ActivityMonitor(channel);
    channel.pipeline().addFirst(monitor);
    return monitor;
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

  /** Runs an action when the connection is closed, on its event loop. */
  public void whenClosed(Runnable action) {
    channel.closeFuture().addListener(closed -> action.run());
  }

  /** A tick of the timer; returns the number of consecutive ticks without a byte. */
  public int tick() {
    ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
    @Nullable Object first = out == null ? null : out.current();
    int nowUnsent = first == null ? 0 : System.identityHashCode(first);
    long nowSent = out == null ? 0 : out.currentProgress();
    boolean moved =
        read || (flushed && first == null) || nowUnsent != unsent || nowSent != progress;
    silentTicks = moved ? 0 : silentTicks + 1;
    read = false;
    flushed = false;
    unsent = nowUnsent;
    progress = nowSent;
    return silentTicks;
  }

  /** Closes the connection without a response, as the client does not read. */
  public void close() {
    ChannelHandlerContext context = channel.pipeline().context(this);
    if (context != null) { // else it is closed already
      context.close();
    }
  }
}

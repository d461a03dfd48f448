package io.weir.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.net.SocketAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The connections of one port from the moment they are accepted: how many there are, and which of
 * them have not yet said what they want.
 *
 * <p>Vert.x tells of a connection when it has become one of HTTP, which takes a handshake where
 * there is TLS, and else the first whole head, as only then it is settled whether it is to become
 * HTTP/2. Until then it would not count, and could stay for as long as an idle one: at a gateway,
 * as long as an upstream may take. So this stands before Vert.x, where sockets are accepted.
 */
final class Doorstep extends ChannelInboundHandlerAdapter {
  /** How many seconds somebody may take to say what it wants. */
  static final int PATIENCE_TICKS = 60;

  private record Waiting(Channel channel, int since) {}

  private final int most;
  private final boolean secure;
  private final AtomicInteger open = new AtomicInteger();
  private final Map<SocketAddress, Waiting> waiting = new ConcurrentHashMap<>();
  private volatile int now;

  /** A doorstep that takes so many connections at once, with TLS or in clear text. */
  Doorstep(int most, boolean secure) {
    this.most = most;
    this.secure = secure;
  }

  /** A socket was accepted; closes it if there are too many. */
  @Override
  public void channelRead(ChannelHandlerContext context, Object accepted) throws Exception {
    Channel channel = (Channel) accepted;
    if (open.incrementAndGet() > most) {
      open.decrementAndGet();
      channel.unsafe().closeForcibly();
      return;
    }
    if (!secure) {
      channel.pipeline().addFirst(new UpgradeFilter());
    }
    Waiting one = new Waiting(channel, now);
    if (channel.remoteAddress() instanceof InetSocketAddress address) {
      SocketAddress from = SocketAddress.inetSocketAddress(address);
      waiting.put(from, one);
      channel.closeFuture().addListener(closed -> left(from, one));
    } else { // has gone already
      channel.closeFuture().addListener(closed -> open.decrementAndGet());
    }
    super.channelRead(context, accepted);
  }

  private void left(SocketAddress from, Waiting one) {
    waiting.remove(from, one);
    open.decrementAndGet();
  }

  /** A connection has said what it wants; from now on {@link Connections} looks after it. */
  void passed(SocketAddress from) {
    waiting.remove(from);
  }

  /** A tick of the timer: closes what has said nothing for too long. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one timer counts
  void tick() {
    now++;
    for (Waiting one : waiting.values()) {
      if (now - one.since > PATIENCE_TICKS) {
        one.channel.close();
      }
    }
  }
}

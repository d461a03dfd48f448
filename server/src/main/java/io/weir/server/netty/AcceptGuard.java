package io.weir.server.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.net.SocketAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one port from the moment they are accepted: how many there are, and which of
 * them have not yet said what they want.
 *
 * <p>Vert.x tells of a connection when it has become one of HTTP, which takes a handshake where
 * there is TLS, and else the first whole head, as only then it is settled whether it is to become
 * HTTP/2. Until then it would not count, and could stay for as long as an idle one: at a gateway,
 * as long as an upstream may take. So this stands before Vert.x, where sockets are accepted.
 */
public final class AcceptGuard extends ChannelInboundHandlerAdapter {
  /** How many seconds somebody may take to say what it wants. */
  public static final int PATIENCE_TICKS = 60;

  /**
   * What connections may use.
   *
   * @param most connections at once
   * @param mostWaiting connections of one address at once that have not sent a whole head
   * @param patienceTicks seconds to send it
   * @param secure whether they speak TLS
   */
  public record ConnectionCaps(int most, int mostWaiting, int patienceTicks, boolean secure) {}

  private record PendingConnection(Channel channel, String host, long order, int since) {}

  private final ConnectionCaps terms;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong accepted = new AtomicLong();
  private final Map<SocketAddress, PendingConnection> waiting = new ConcurrentHashMap<>();
  private volatile int now;

  public AcceptGuard(ConnectionCaps terms) {
    this.terms = terms;
  }

  /**
   * A socket was accepted. If there are too many, the one that has kept silent for longest is
   * closed in its place, and only if there is none, the new one: so silent connections do not keep
   * others out, also not those from the same address, such as a proxy's.
   */
  @Override
  public void channelRead(ChannelHandlerContext context, Object accepted) throws Exception {
    Channel channel = (Channel) accepted;
    if (open.incrementAndGet() > terms.most && !closeOldest(null, 1)) {
      open.decrementAndGet();
      channel.unsafe().closeForcibly();
      return;
    }
    if (!terms.secure) {
      channel.pipeline().addFirst(new UpgradeFilter());
    }
    if (channel.remoteAddress() instanceof InetSocketAddress address) {
      SocketAddress from = SocketAddress.inetSocketAddress(address);
      String host = address.getAddress().getHostAddress();
      if (terms.mostWaiting < terms.most) {
        closeOldest(host, terms.mostWaiting);
      }
      PendingConnection one =
          new PendingConnection(channel, host, this.accepted.incrementAndGet(), now);
      waiting.put(from, one);
      channel.closeFuture().addListener(closed -> left(from, one));
    } else { // has gone already
      channel.closeFuture().addListener(closed -> open.decrementAndGet());
    }
    super.channelRead(context, accepted);
  }

  /**
   * Closes the connection that has waited for longest, of one address or of all, if at least so
   * many wait. Looks at all of them, so ports with room for many do not limit addresses.
   */
  private boolean closeOldest(@Nullable String host, int atLeast) {
    SocketAddress oldest = null;
    long order = Long.MAX_VALUE;
    int count = 0;
    for (Map.Entry<SocketAddress, PendingConnection> entry : waiting.entrySet()) {
      PendingConnection one = entry.getValue();
      if (host == null || one.host.equals(host)) {
        count++;
        if (one.order < order) {
          order = one.order;
          oldest = entry.getKey();
        }
      }
    }
    PendingConnection found = count < atLeast || oldest == null ? null : waiting.remove(oldest);
    if (found != null) {
      found.channel.close();
    }
    return found != null;
  }

  private void left(SocketAddress from, PendingConnection one) {
    waiting.remove(from, one);
    open.decrementAndGet();
  }

  /** A connection has said what it wants; from now on {@code ConnectionTracker} looks after it. */
  public void onHeadRead(SocketAddress from) {
    waiting.remove(from);
  }

  /** A tick of the timer: closes what has said nothing for too long. */
  @SuppressWarnings("NonAtomicVolatileUpdate")
  public // one timer counts
  void tick() {
    now++;
    for (PendingConnection one : waiting.values()) {
      if (now - one.since > terms.patienceTicks) {
        one.channel.close();
      }
    }
  }
}

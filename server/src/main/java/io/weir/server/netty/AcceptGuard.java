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
 * Caps the connections of one port from the moment they are accepted, and closes those that do not
 * send a complete request head in time.
 *
 * <p>Vert.x reports a connection only when its protocol is known: after the handshake with TLS,
 * otherwise after the first complete head, which decides between HTTP/1 and HTTP/2. Until then the
 * connection would not count, and could stay open for the idle timeout: at a gateway, for the
 * upstream timeout. So this handler runs before Vert.x, where sockets are accepted.
 */
public final class AcceptGuard extends ChannelInboundHandlerAdapter {
  /** How many seconds a connection may take to send a complete head. */
  public static final int HEAD_TIMEOUT_TICKS = 60;

  /**
   * The caps of a port.
   *
   * @param max open connections
   * @param maxPending open connections of one address that have not sent a complete head
   * @param headTimeoutTicks ticks (s) within which the head must be complete
   * @param tls whether the port uses TLS
   */
  public record ConnectionCaps(int max, int maxPending, int headTimeoutTicks, boolean tls) {}

  private record PendingConnection(Channel channel, String host, long order, int since) {}

  private final ConnectionCaps caps;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong accepted = new AtomicLong();
  private final Map<SocketAddress, PendingConnection> pending = new ConcurrentHashMap<>();
  private volatile int now;

  public AcceptGuard(ConnectionCaps caps) {
    this.caps = caps;
  }

  /**
   * A socket was accepted. Above the cap, the oldest pending connection is closed instead, and the
   * new one only if none is pending. So silent connections do not block others, even from the same
   * address, such as a proxy's.
   */
  @Override
  public void channelRead(ChannelHandlerContext context, Object accepted) throws Exception {
    Channel channel = (Channel) accepted;
    if (open.incrementAndGet() > caps.max && !closeOldest(null, 1)) {
      open.decrementAndGet();
      channel.unsafe().closeForcibly();
      return;
    }
    if (!caps.tls) {
      channel.pipeline().addFirst(new UpgradeFilter());
    }
    if (channel.remoteAddress() instanceof InetSocketAddress address) {
      SocketAddress from = SocketAddress.inetSocketAddress(address);
      String host = address.getAddress().getHostAddress();
      if (caps.maxPending < caps.max) {
        closeOldest(host, caps.maxPending);
      }
      PendingConnection connection =
          new PendingConnection(channel, host, this.accepted.incrementAndGet(), now);
      pending.put(from, connection);
      channel.closeFuture().addListener(closed -> onClose(from, connection));
    } else { // closed already
      channel.closeFuture().addListener(closed -> open.decrementAndGet());
    }
    super.channelRead(context, accepted);
  }

  /**
   * Closes the oldest pending connection, of one address or of all, if at least {@code atLeast} are
   * pending. It scans all of them, so ports with a high cap have no cap per address.
   */
  private boolean closeOldest(@Nullable String host, int atLeast) {
    SocketAddress oldest = null;
    long order = Long.MAX_VALUE;
    int count = 0;
    for (Map.Entry<SocketAddress, PendingConnection> entry : pending.entrySet()) {
      PendingConnection connection = entry.getValue();
      if (host == null || connection.host.equals(host)) {
        count++;
        if (connection.order < order) {
          order = connection.order;
          oldest = entry.getKey();
        }
      }
    }
    PendingConnection found = count < atLeast || oldest == null ? null : pending.remove(oldest);
    if (found != null) {
      found.channel.close();
    }
    return found != null;
  }

  private void onClose(SocketAddress from, PendingConnection connection) {
    pending.remove(from, connection);
    open.decrementAndGet();
  }

  /** A connection has sent a complete head; from now on {@code ConnectionTracker} tracks it. */
  public void onHeadRead(SocketAddress from) {
    pending.remove(from);
  }

  /** A tick of the timer: closes connections whose head is overdue. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // only one timer calls it
  public void tick() {
    now++;
    for (PendingConnection connection : pending.values()) {
      if (now - connection.since > caps.headTimeoutTicks) {
        connection.channel.close();
      }
    }
  }
}

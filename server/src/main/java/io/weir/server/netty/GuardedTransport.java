package io.weir.server.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.transport.Transport;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Puts a {@link AcceptGuard} before each port: the sockets of the JDK, but for that.
 *
 * <p>Vert.x listens where it is told when it is told to listen; the host in a port's options is the
 * name by which its doorstep is found.
 */
public final class GuardedTransport extends NioTransport implements Transport {
  private final Map<String, AcceptGuard> byName = new ConcurrentHashMap<>();

  /** Puts a doorstep before the port of this name, when it will be listened on. */
  public void put(String name, AcceptGuard doorstep) {
    byName.put(name, doorstep);
  }

  @Override
  public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
    super.configure(options, domainSocket, bootstrap);
    AcceptGuard doorstep = byName.get(options.getHost());
    if (doorstep != null) {
      bootstrap.handler(doorstep);
    }
  }

  @Override
  public String name() {
    return "nio";
  }

  @Override
  public boolean available() {
    return true;
  }

  @Override
  @SuppressWarnings("NullAway")
  public Throwable unavailabilityCause() {
    return super.unavailabilityCause();
  }

  @Override
  public io.vertx.core.spi.transport.Transport implementation() {
    return this;
  }
}

package io.weir.server.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.transport.Transport;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The NIO transport of Vert.x with an {@link AcceptGuard} before each port.
 *
 * <p>The guard is found by the host in the server options, which holds the port's name here. Vert.x
 * does not use that host: it binds the address passed to {@code listen}.
 */
public final class GuardedTransport extends NioTransport implements Transport {
  private final Map<String, AcceptGuard> byName = new ConcurrentHashMap<>();

  /** Sets the guard of the port with this name, before it is opened. */
  public void put(String name, AcceptGuard guard) {
    byName.put(name, guard);
  }

  @Override
  public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
    super.configure(options, domainSocket, bootstrap);
    AcceptGuard guard = byName.get(options.getHost());
    if (guard != null) {
      bootstrap.handler(guard);
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

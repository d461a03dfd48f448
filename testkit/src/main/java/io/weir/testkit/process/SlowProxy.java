package io.weir.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A faulty network on loopback: forwards TCP to a port with delay, stalls, loss or cuts.
 *
 * <p>The delay does not limit throughput: each byte arrives that much later than it was sent,
 * however many are in flight. Stalled bytes are buffered and arrive after {@link #resume}, as after
 * a route flap. Lost bytes never arrive.
 */
public final class SlowProxy implements AutoCloseable {
  private final int target;
  private final int port = FreePorts.free();
  private final PauseGate gate = new PauseGate();
  private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();
  private volatile Duration toServer = Duration.ZERO;
  private volatile Duration toClient = Duration.ZERO;
  private volatile boolean losing;
  private ServerSocket listener;
  private Thread acceptor;

  private SlowProxy(int target) {
    this.target = target;
    this.listener = open();
    this.acceptor = acceptFrom(listener);
  }

  /** Opens a proxy in front of a loopback port, with no delay. */
  public static SlowProxy before(int target) {
    return new SlowProxy(target);
  }

  public static SlowProxy before(RedisServer server) {
    return before(server.port());
  }

  public int port() {
    return port;
  }

  /** {@code redis://127.0.0.1:port}. */
  public String uri() {
    return "redis://127.0.0.1:" + port;
  }

  /** Number of clients connected through it. */
  public int connections() {
    return connections.size();
  }

  /** From now on, both directions are delayed by these times. */
  public void delay(Duration toServer, Duration toClient) {
    this.toServer = toServer;
    this.toClient = toClient;
  }

  /** Still accepts connections and bytes, but forwards nothing. */
  public void stall() {
    gate.shut();
  }

  /**
   * Makes every connection half-open: it stays open, and everything sent on it is lost. New
   * connections are accepted and are half-open too, until {@link #resume}.
   */
  public void lose() {
    losing = true;
    loseOpen();
  }

  /** Makes the existing connections half-open; new ones work. */
  public void loseOpen() {
    connections.forEach(link -> link.halfOpen = true);
  }

  /** Closes every connection; new ones are accepted. */
  public void cut() {
    connections.forEach(ProxyConnection::close);
  }

  /** Refuses new connections; open ones keep working. */
  public synchronized void refuse() {
    closeQuietly(listener);
    try {
      // The port listens until the thread has left accept().
      acceptor.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Ends {@link #stall}, {@link #refuse} and {@link #lose}; the delay remains, and half-open
   * connections stay half-open.
   */
  public synchronized void resume() {
    losing = false;
    gate.open();
    if (listener.isClosed()) {
      listener = open();
      acceptor = acceptFrom(listener);
    }
  }

  @Override
  public void close() {
    refuse();
    cut();
  }

  private ServerSocket open() {
    try {
      return new ServerSocket(port, 128, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Thread acceptFrom(ServerSocket socket) {
    Thread thread = new Thread(() -> acceptAll(socket), "weir-proxy-accept");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void acceptAll(ServerSocket socket) {
    while (!socket.isClosed()) {
      try {
        connect(socket.accept());
      } catch (IOException closed) {
        // Caused by refuse() or close(); the loop ends.
      }
    }
  }

  /** If the server does not accept, the client's connection is closed. */
  private void connect(Socket client) {
    try {
      ProxyConnection link =
          new ProxyConnection(client, new Socket(InetAddress.getLoopbackAddress(), target));
      connections.add(link);
      link.start();
    } catch (IOException e) {
      closeQuietly(client);
    }
  }

  private static void closeQuietly(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      // Already closed.
    }
  }

  /** A client's connection and the corresponding one to the server. */
  private final class ProxyConnection {
    private final Socket client;
    private final Socket server;
    private final DelayedCopy there;
    private final DelayedCopy back;
    private volatile boolean halfOpen = losing;

    ProxyConnection(Socket client, Socket server) throws IOException {
      this.client = client;
      this.server = server;
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      there = new DelayedCopy(client, server, () -> toServer, gate, () -> halfOpen, this::close);
      back = new DelayedCopy(server, client, () -> toClient, gate, () -> halfOpen, this::close);
    }

    void start() {
      there.start();
      back.start();
    }

    void close() {
      connections.remove(this);
      closeQuietly(client);
      closeQuietly(server);
      there.stop();
      back.stop();
    }
  }
}

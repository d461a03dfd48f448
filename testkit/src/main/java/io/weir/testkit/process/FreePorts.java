package io.weir.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Hands out loopback ports that no other process takes, not even while the server on one is
 * restarting.
 *
 * <p>Three measures reserve them. The ports lie below those that the system gives to outgoing
 * connections (32768 and up on Linux), so no client socket gets one by chance. Each is probed by
 * binding it. And each is held for the life of this JVM by a lock on one byte of a shared file, so
 * that concurrent test runs on one machine do not collide; the system drops the lock when the
 * process ends, however it ends.
 *
 * <p>Ports come in pairs: a node of a Redis Cluster also listens on its port plus 10,000, and that
 * port lies below the range of outgoing connections too.
 */
public final class FreePorts {
  /** Distance of a cluster node's bus port from its port; fixed by Redis. */
  static final int BUS_OFFSET = 10_000;

  private static final int FIRST = 12_000;
  private static final int LAST = 22_000;
  private static final FileChannel LOCKS = openLocks();

  private FreePorts() {}

  /** A port that is free now, together with its bus port; handed out only once. */
  public static int free() {
    int start = ThreadLocalRandom.current().nextInt(FIRST, LAST);
    for (int i = 0; i < LAST - FIRST; i++) {
      int port = FIRST + (start - FIRST + i) % (LAST - FIRST);
      if (lock(port) && canBind(port) && canBind(port + BUS_OFFSET)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port between " + FIRST + " and " + LAST);
  }

  /** Whether nothing listens on this loopback port. */
  static boolean canBind(int port) {
    try (ServerSocket probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }

  private static boolean lock(int port) {
    try {
      return LOCKS.tryLock(port, 1, false) != null;
    } catch (OverlappingFileLockException ours) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static FileChannel openLocks() {
    Path file =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "weir-ports-" + System.getProperty("user.name") + ".lock");
    try {
      return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

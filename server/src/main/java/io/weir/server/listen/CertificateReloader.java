package io.weir.server.listen;

import io.vertx.core.Vertx;
import io.weir.server.config.TlsSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that certificates were renewed, and has the ports take them. Connections that are open
 * keep the old ones; files that cannot be used change nothing.
 */
final class CertificateReloader {
  static final Duration EVERY = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(CertificateReloader.class);

  private final Vertx vertx;
  private final TlsSettings files;
  private final Optional<Path> authority;
  private final List<Listener> listeners;
  private List<FileTime> last = List.of();

  /**
   * Watches files.
   *
   * @param authority what client certificates must lead to, if they are asked for
   */
  CertificateReloader(
      Vertx vertx, TlsSettings files, Optional<Path> authority, List<Listener> listeners) {
    this.vertx = vertx;
    this.files = files;
    this.authority = authority;
    this.listeners = listeners;
  }

  /** Looks from now on. */
  void begin(Duration every) {
    reloadIfChanged();
    vertx.setPeriodic(every.toMillis(), tick -> reloadIfChanged());
  }

  private void reloadIfChanged() {
    vertx.executeBlocking(this::stamp).onSuccess(this::compare);
  }

  private List<FileTime> stamp() {
    try {
      return files.stamp(authority);
    } catch (IOException e) {
      return List.of(); // between the old files and the new ones
    }
  }

  private synchronized void compare(List<FileTime> now) {
    boolean renewed = !now.isEmpty() && !last.isEmpty() && !now.equals(last);
    last = now.isEmpty() ? last : now;
    if (renewed) {
      for (Listener listener : listeners) {
        listener
            .reload()
            .onSuccess(taken -> LOG.info("tls: {} was read again", files.certificate()))
            .onFailure(e -> LOG.warn("tls: {} is not used: {}", files.certificate(), e.toString()));
      }
    }
  }
}

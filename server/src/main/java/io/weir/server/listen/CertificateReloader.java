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
 * Reloads renewed certificates on all TLS listeners. Open connections keep the old ones; unusable
 * files change nothing.
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
   * Watches certificate files.
   *
   * @param authority the CA of client certificates, if they are requested
   */
  CertificateReloader(
      Vertx vertx, TlsSettings files, Optional<Path> authority, List<Listener> listeners) {
    this.vertx = vertx;
    this.files = files;
    this.authority = authority;
    this.listeners = listeners;
  }

  /** Starts to watch. */
  void start(Duration every) {
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
      return List.of(); // files are being replaced
    }
  }

  private synchronized void compare(List<FileTime> now) {
    boolean renewed = !now.isEmpty() && !last.isEmpty() && !now.equals(last);
    last = now.isEmpty() ? last : now;
    if (renewed) {
      for (Listener listener : listeners) {
        listener
            .reload()
            .onSuccess(taken -> LOG.info("tls: {} reloaded", files.certificate()))
            .onFailure(
                e ->
                    LOG.warn(
                        "tls: {} cannot be used, the old certificate stays in force: {}",
                        files.certificate(),
                        e.toString()));
      }
    }
  }
}

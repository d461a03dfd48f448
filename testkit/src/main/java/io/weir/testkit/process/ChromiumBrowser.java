package io.weir.testkit.process;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A real headless Chromium that can reach only this machine. It is controlled over the DevTools
 * protocol.
 *
 * <p>Tests that need it are skipped where there is none, see {@link OptionalTool}.
 */
public final class ChromiumBrowser implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final int LOG_LINES = 40;

  private final TempFolder scratch = TempFolder.create("chromium");
  private final ChildProcess process;
  private final URI devTools;

  private ChromiumBrowser(Path binary) {
    Path profile = scratch.file("profile");
    List<String> command =
        List.of(
            binary.toString(),
            "--headless=new",
            "--remote-debugging-port=0",
            "--user-data-dir=" + profile,
            "--no-sandbox", // CI runs as root, and Chromium's sandbox rejects root
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--disable-extensions",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-breakpad",
            "--no-first-run",
            "--no-default-browser-check",
            "--no-proxy-server",
            "--hide-scrollbars",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            "about:blank");
    this.process = ChildProcess.start(command, scratch.path(), scratch.file("log"));
    Path portFile = profile.resolve("DevToolsActivePort");
    try {
      this.devTools =
          await("chromium")
              .atMost(START_LIMIT)
              .pollInterval(Duration.ofMillis(20))
              .until(() -> address(portFile), Optional::isPresent)
              .orElseThrow();
    } catch (ConditionTimeoutException | IllegalStateException e) {
      String log = ChildProcess.tail(scratch.file("log"), LOG_LINES);
      close();
      throw new IllegalStateException("chromium did not start:\n" + log, e);
    }
  }

  /** Starts a browser; skips the test if there is none and none is required. */
  public static ChromiumBrowser start() {
    return new ChromiumBrowser(OptionalTool.CHROMIUM.get());
  }

  /** Chromium writes its port and a path into a file. */
  private Optional<URI> address(Path portFile) throws IOException {
    if (!process.isAlive()) {
      throw new IllegalStateException("chromium ended");
    }
    List<String> lines = Files.exists(portFile) ? Files.readAllLines(portFile) : List.of();
    return lines.size() < 2
        ? Optional.empty()
        : Optional.of(URI.create("ws://127.0.0.1:" + lines.get(0) + lines.get(1)));
  }

  /** The web socket for commands to the whole browser. */
  public URI devTools() {
    return devTools;
  }

  @Override
  public void close() {
    process.kill();
    scratch.close();
  }
}

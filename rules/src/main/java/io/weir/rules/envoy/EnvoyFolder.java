package io.weir.rules.envoy;

import io.weir.rules.LoadResult;
import io.weir.rules.ReloadableFiles;
import io.weir.rules.file.DocumentFiles.Content;
import io.weir.rules.file.EnvoyFiles;
import io.weir.rules.file.FileSelector;
import io.weir.rules.file.FileWatcher;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads and watches a folder in the format of {@code envoyproxy/ratelimit}, in which every file is
 * one domain.
 *
 * <p>An invalid or missing file changes nothing: the configuration in force stays until a valid
 * change arrives.
 */
public final class EnvoyFolder implements ReloadableFiles<EnvoyDomains> {
  private final FileWatcher<EnvoyDomains> watcher;

  private EnvoyFolder(Path path, Optional<Path> lastGoodFolder, EnvoyOptions options) {
    this.watcher = new FileWatcher<>(path, lastGoodFolder, new EnvoyFileParser(options));
  }

  private record EnvoyFileParser(EnvoyOptions options)
      implements FileWatcher.FileParser<EnvoyDomains> {
    @Override
    public FileSelector files() {
      return new EnvoyFiles(options.dotFiles());
    }

    @Override
    public LoadResult<EnvoyDomains> read(Content content) {
      return EnvoyReader.read(content, options);
    }
  }

  /**
   * The configuration at this path.
   *
   * @param lastGoodFolder where the last valid files are saved across restarts; empty to save none
   */
  public static EnvoyFolder at(
      Path fileOrFolder, Optional<Path> lastGoodFolder, EnvoyOptions options) {
    return new EnvoyFolder(fileOrFolder, lastGoodFolder, options);
  }

  /** Reads a file or folder once. */
  public static LoadResult<EnvoyDomains> load(Path fileOrFolder, EnvoyOptions options) {
    return at(fileOrFolder, Optional.empty(), options).load();
  }

  @Override
  public LoadResult<EnvoyDomains> load() {
    return watcher.load();
  }

  @Override
  public void watch(Duration every, Consumer<LoadResult<EnvoyDomains>> listener) {
    watcher.watch(every, listener);
  }

  /** A new value or new problems since the last call, if any. */
  Optional<LoadResult<EnvoyDomains>> poll() {
    return watcher.poll();
  }

  @Override
  public void close() {
    watcher.close();
  }
}

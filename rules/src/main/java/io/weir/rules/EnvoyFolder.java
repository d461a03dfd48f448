package io.weir.rules;

import io.weir.rules.DocumentFiles.Content;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads and follows a folder in the format of {@code envoyproxy/ratelimit}, in which every file is
 * one domain.
 *
 * <p>Whatever becomes of the files, the configuration in use stays until a valid change comes.
 */
public final class EnvoyFolder implements AutoCloseable {
  private final Follower<EnvoyLoaded> follower;

  private EnvoyFolder(Path path, Optional<Path> lastGoodFolder, EnvoyOptions options) {
    this.follower = new Follower<>(path, lastGoodFolder, new Reading(options));
  }

  private record Reading(EnvoyOptions options) implements Follower.Reading<EnvoyLoaded> {
    @Override
    public FilesOf files() {
      return new EnvoyFiles(options.dotFiles());
    }

    @Override
    public EnvoyLoaded understand(Content content) {
      return EnvoyReader.read(content, options);
    }

    @Override
    public boolean isValid(EnvoyLoaded loaded) {
      return loaded.isValid();
    }
  }

  /**
   * The configuration at this path.
   *
   * @param lastGoodFolder where the last good files are remembered across restarts, if at all
   */
  public static EnvoyFolder at(
      Path fileOrFolder, Optional<Path> lastGoodFolder, EnvoyOptions options) {
    return new EnvoyFolder(fileOrFolder, lastGoodFolder, options);
  }

  /** Reads a file or folder once. */
  public static EnvoyLoaded load(Path fileOrFolder, EnvoyOptions options) {
    return at(fileOrFolder, Optional.empty(), options).load();
  }

  /**
   * Reads the configuration as it is now. If it is invalid and there is a remembered one, that is
   * the configuration, and the problems say what is wrong with the present one.
   */
  public EnvoyLoaded load() {
    EnvoyLoaded loaded = follower.load();
    return loaded.isValid()
        ? loaded
        : new EnvoyLoaded(follower.remembered().flatMap(EnvoyLoaded::config), loaded.problems());
  }

  /**
   * Calls a listener, on a thread of its own, with every later change: a valid configuration, or
   * the problems of an invalid one.
   *
   * @param every how often the files are looked at
   */
  public void watch(Duration every, Consumer<EnvoyLoaded> listener) {
    follower.watch(every, listener);
  }

  /** What there is to report since the last call. */
  Optional<EnvoyLoaded> poll() {
    return follower.poll();
  }

  /** Stops watching, and waits until the listener is not being called any more. */
  @Override
  public void close() {
    follower.close();
  }
}

package io.weir.rules;

import io.weir.rule.RuleSet;
import io.weir.rules.file.DocumentFiles.Content;
import io.weir.rules.file.FileSelector;
import io.weir.rules.file.FileStamp;
import io.weir.rules.file.FileWatcher;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Watches a rule file, or a folder of them, and passes every new rule set to a listener.
 *
 * <pre>{@code
 * RuleFile file = RuleFile.at(Path.of("rules/"), Optional.of(stateFolder));
 * LoadResult<RuleSet> first = file.load(); // the files, or the last valid copy if they are invalid
 * // every later change: a rule set, or its problems
 * file.watch(loaded -> loaded.value().ifPresent(weir::replaceRules));
 * }</pre>
 *
 * <p>An invalid or missing file changes nothing: the rules in force stay until a valid change
 * arrives.
 */
public final class RuleFile implements ReloadableFiles<RuleSet> {
  private final Path path;
  private final FileWatcher<RuleSet> watcher;

  private RuleFile(Path path, Optional<Path> lastGoodFolder, AttributeSource source) {
    this.path = path;
    this.watcher = new FileWatcher<>(path, lastGoodFolder, new RuleFileParser(source));
  }

  private record RuleFileParser(AttributeSource source) implements FileWatcher.FileParser<RuleSet> {
    @Override
    public FileSelector files() {
      return FileSelector.RULES;
    }

    @Override
    public LoadResult<RuleSet> read(Content content) {
      return RuleDocuments.read(content, source);
    }
  }

  /** The rules at this path; the last valid copy is not saved across restarts. */
  public static RuleFile at(Path fileOrFolder) {
    return at(fileOrFolder, Optional.empty());
  }

  /**
   * The rules at this path.
   *
   * @param lastGoodFolder where the last valid documents are saved across restarts; empty to save
   *     none
   */
  public static RuleFile at(Path fileOrFolder, Optional<Path> lastGoodFolder) {
    return at(fileOrFolder, lastGoodFolder, AttributeSource.ANY);
  }

  /**
   * As {@link #at(Path, Optional)}, with warnings about rules that use attributes which calls never
   * carry.
   */
  public static RuleFile at(
      Path fileOrFolder, Optional<Path> lastGoodFolder, AttributeSource source) {
    return new RuleFile(fileOrFolder, lastGoodFolder, source);
  }

  @Override
  public LoadResult<RuleSet> load() {
    return watcher.load();
  }

  @Override
  public void watch(Duration every, Consumer<LoadResult<RuleSet>> listener) {
    watcher.watch(every, listener);
  }

  /**
   * When the files were last changed, by the clock of their file system; empty if there are none.
   */
  public Optional<Instant> changed() {
    return FileStamp.changed(path, FileSelector.RULES);
  }

  /** A new value or new problems since the last call, if any. */
  Optional<LoadResult<RuleSet>> poll() {
    return watcher.poll();
  }

  @Override
  public void close() {
    watcher.close();
  }
}

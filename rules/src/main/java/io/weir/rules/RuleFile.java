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
 * Follows a rule file, or a folder of them, and hands over every new rule set.
 *
 * <pre>{@code
 * RuleFile file = RuleFile.at(Path.of("rules/"), Optional.of(stateFolder));
 * LoadResult<RuleSet> first = file.load(); // the files, or the last good ones if invalid
 * // every later change: a rule set, or what is wrong
 * file.watch(loaded -> loaded.value().ifPresent(weir::replaceRules));
 * }</pre>
 *
 * <p>Whatever becomes of the files, the rules in use stay until a valid change comes.
 */
public final class RuleFile implements ReloadableFiles<RuleSet> {
  private final Path path;
  private final FileWatcher<RuleSet> follower;

  private RuleFile(Path path, Optional<Path> lastGoodFolder, AttributeSource source) {
    this.path = path;
    this.follower = new FileWatcher<>(path, lastGoodFolder, new RuleFileParser(source));
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

  /** The rules at this path, without a memory across restarts. */
  public static RuleFile at(Path fileOrFolder) {
    return at(fileOrFolder, Optional.empty());
  }

  /**
   * The rules at this path.
   *
   * @param lastGoodFolder where the last good documents are remembered across restarts, if at all
   */
  public static RuleFile at(Path fileOrFolder, Optional<Path> lastGoodFolder) {
    return at(fileOrFolder, lastGoodFolder, AttributeSource.ANY);
  }

  /**
   * As {@link #at(Path, Optional)}, with warnings about rules that ask for attributes which calls
   * never have.
   */
  public static RuleFile at(
      Path fileOrFolder, Optional<Path> lastGoodFolder, AttributeSource source) {
    return new RuleFile(fileOrFolder, lastGoodFolder, source);
  }

  @Override
  public LoadResult<RuleSet> load() {
    return follower.load();
  }

  @Override
  public void watch(Duration every, Consumer<LoadResult<RuleSet>> listener) {
    follower.watch(every, listener);
  }

  /**
   * When the files were last changed, by the clock of where they are; nothing if none are there.
   */
  public Optional<Instant> changed() {
    return FileStamp.changed(path, FileSelector.RULES);
  }

  /** What there is to report since the last call. */
  Optional<LoadResult<RuleSet>> poll() {
    return follower.poll();
  }

  @Override
  public void close() {
    follower.close();
  }
}

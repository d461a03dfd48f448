package io.weir.rules;

import io.weir.rules.DocumentFiles.Content;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Follows a rule file, or a folder of them, and hands over every new rule set.
 *
 * <pre>{@code
 * RuleFile file = RuleFile.at(Path.of("rules/"), Optional.of(stateFolder));
 * Loaded first = file.load();          // the files, or the last good ones if these are invalid
 * file.watch(loaded -> …);             // every later change: a rule set, or what is wrong
 * }</pre>
 *
 * <p>Whatever becomes of the files, the rules in use stay until a valid change comes.
 */
public final class RuleFile implements AutoCloseable {
  private final Path path;
  private final Follower<Loaded> follower;

  private RuleFile(Path path, Optional<Path> lastGoodFolder, AttributeSource source) {
    this.path = path;
    this.follower = new Follower<>(path, lastGoodFolder, new Reading(source));
  }

  private record Reading(AttributeSource source) implements Follower.Reading<Loaded> {
    @Override
    public FilesOf files() {
      return FilesOf.RULES;
    }

    @Override
    public Loaded understand(Content content) {
      return RuleDocuments.read(content, source);
    }

    @Override
    public boolean isValid(Loaded loaded) {
      return loaded.isValid();
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

  /**
   * Reads the rules as they are now. If they are invalid and there are remembered ones, those are
   * the rule set, and the problems say what is wrong with the present ones.
   */
  public Loaded load() {
    Loaded loaded = follower.load();
    return loaded.isValid()
        ? loaded
        : new Loaded(follower.remembered().flatMap(Loaded::ruleSet), loaded.problems());
  }

  /**
   * Calls a listener, on a thread of its own, with every later change: a valid rule set, or the
   * problems of an invalid one. If {@link #load} was not called before, the first state counts as a
   * change.
   */
  public void watch(Consumer<Loaded> listener) {
    follower.watch(Follower.LOOK_EVERY, listener);
  }

  /**
   * When the files were last changed, by the clock of where they are; nothing if none are there.
   */
  public Optional<Instant> changed() {
    return FileStamp.changed(path, FilesOf.RULES);
  }

  /** What there is to report since the last call. */
  Optional<Loaded> poll() {
    return follower.poll();
  }

  /** Stops watching, and waits until the listener is not being called any more. */
  @Override
  public void close() {
    follower.close();
  }
}

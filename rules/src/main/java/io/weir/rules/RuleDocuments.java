package io.weir.rules;

import io.weir.rule.RuleSet;
import io.weir.rules.file.DocumentFiles;
import io.weir.rules.file.DocumentFiles.Content;
import io.weir.rules.read.DocumentReader;
import io.weir.rules.tree.SourceText;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/**
 * Reads the rule document: from a file, from a folder of files, or from a text.
 *
 * <pre>{@code
 * LoadResult<RuleSet> loaded = RuleDocuments.load(Path.of("rules/"));
 * loaded.problems().forEach(System.err::println);   // rules/a.yaml:7: rule payments: …
 * loaded.value().ifPresent(weir::replaceRules);
 * }</pre>
 *
 * <p>No method throws because of what it reads: every fault, from a missing file to an impossible
 * number, is a {@link Problem}.
 */
public final class RuleDocuments {
  private static final InstantSource CLOCK = InstantSource.system();

  private RuleDocuments() {}

  /**
   * Reads a file, or all {@code *.yaml}, {@code *.yml} and {@code *.json} of a folder, by name, as
   * one rule set.
   */
  public static LoadResult<RuleSet> load(Path fileOrFolder) {
    return load(fileOrFolder, AttributeSource.ANY);
  }

  /**
   * As {@link #load(Path)}, with warnings about rules that use attributes which calls never carry.
   */
  public static LoadResult<RuleSet> load(Path fileOrFolder, AttributeSource source) {
    return read(DocumentFiles.read(fileOrFolder), source);
  }

  /**
   * Reads one document from a string.
   *
   * @param name used in messages; JSON if it ends in {@code .json}, else YAML
   */
  public static LoadResult<RuleSet> parse(String name, String text) {
    return parse(name, text, CLOCK.instant());
  }

  public static LoadResult<RuleSet> parse(String name, String text, Instant now) {
    return parse(name, text, now, AttributeSource.ANY);
  }

  public static LoadResult<RuleSet> parse(
      String name, String text, Instant now, AttributeSource source) {
    Content content = new Content(List.of(new SourceText(name, text)), List.of());
    return DocumentReader.read(content, now, source);
  }

  /**
   * Reads a set of documents as one rule set, in the order of their names.
   *
   * @param documents texts by name; names are used in messages
   */
  public static LoadResult<RuleSet> parse(
      SortedMap<String, String> documents, AttributeSource source) {
    return read(content(documents), source);
  }

  private static Content content(SortedMap<String, String> documents) {
    List<SourceText> texts = new ArrayList<>();
    documents.forEach((name, text) -> texts.add(new SourceText(name, text)));
    return new Content(texts, List.of());
  }

  static LoadResult<RuleSet> read(Content content, AttributeSource source) {
    return DocumentReader.read(content, CLOCK.instant(), source);
  }
}

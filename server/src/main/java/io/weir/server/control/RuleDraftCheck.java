package io.weir.server.control;

import io.weir.rule.RuleSet;
import io.weir.rules.AttributeSource;
import io.weir.rules.LoadResult;
import io.weir.rules.Problem;
import io.weir.rules.Problem.Severity;
import io.weir.rules.RuleDocuments;
import io.weir.server.control.RuleOperations.PublishOutcome;
import io.weir.server.control.RuleOperations.PublishRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Documents that are to be published, checked.
 *
 * @param outcome why they are refused; empty if they are valid
 * @param text what they say; without rules if they are refused
 */
record RuleDraftCheck(Optional<PublishOutcome> outcome, RuleText text, List<Problem> warnings) {
  private static final int MOST_CHARACTERS = 16 << 20;
  private static final int MOST_BYTES = 4 << 20;
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,199}\\.(yaml|yml|json)");

  /**
   * Checks documents.
   *
   * @param before the texts that the documents replace
   */
  static RuleDraftCheck of(
      RuleSite site,
      AttributeSource source,
      PublishRequest request,
      Optional<SortedMap<String, String>> before) {
    SortedMap<String, String> files = request.files();
    Optional<String> single = singleName(site);
    List<Problem> problems = problems(files, single);
    if (!problems.isEmpty()) {
      return refused(new PublishOutcome.Invalid(problems));
    }
    if (files.size() == 1 && before.map(SortedMap::size).orElse(0) > 1 && !request.onlyFile()) {
      return refused(
          new PublishOutcome.Refused(
              "only_file",
              "one document would replace a set of " + before.get().size() + "; confirm only_file",
              ""));
    }
    SortedMap<String, String> named = named(files, single);
    boolean otherFormat = isJson(files.firstKey()) != isJson(named.firstKey());
    // Problems show the author's name, unless the file is read in another format than that says.
    LoadResult<RuleSet> loaded = RuleDocuments.parse(otherFormat ? named : files, source);
    if (!loaded.isValid()) {
      List<Problem> all = new ArrayList<>();
      if (otherFormat) {
        all.add(error(files.firstKey(), otherFormat(named.firstKey())));
      }
      all.addAll(loaded.problems());
      return refused(new PublishOutcome.Invalid(all));
    }
    RuleText text = RuleText.of(named, loaded.value().orElseThrow());
    return new RuleDraftCheck(Optional.empty(), text, loaded.problems());
  }

  private static RuleDraftCheck refused(PublishOutcome outcome) {
    return new RuleDraftCheck(Optional.of(outcome), RuleText.NONE, List.of());
  }

  private static boolean isJson(String name) {
    return name.endsWith(".json");
  }

  private static String otherFormat(String file) {
    return "the rule file "
        + file
        + " is read as "
        + (isJson(file) ? "JSON" : "YAML")
        + ", and this document is not valid as that";
  }

  /** The name of the one file that the rules are in; empty for a folder or the database. */
  private static Optional<String> singleName(RuleSite site) {
    return site.versionedFiles().filter(files -> !files.isFolder()).map(RuleFiles::singleName);
  }

  /** One document gets the name of the one rule file, whatever its author called it. */
  private static SortedMap<String, String> named(
      SortedMap<String, String> files, Optional<String> single) {
    if (single.isEmpty()) {
      return files;
    }
    SortedMap<String, String> named = new TreeMap<>();
    named.put(single.get(), files.get(files.firstKey()));
    return named;
  }

  private static List<Problem> problems(SortedMap<String, String> files, Optional<String> single) {
    List<Problem> problems = new ArrayList<>();
    long characters = 0;
    for (var file : files.entrySet()) {
      if (single.isEmpty() && !NAME.matcher(file.getKey()).matches()) {
        problems.add(error(file.getKey(), "the name of a document ends in .yaml, .yml or .json"));
      }
      if (file.getValue().getBytes(StandardCharsets.UTF_8).length > MOST_BYTES) {
        problems.add(error(file.getKey(), "the document is larger than 4 MiB"));
      }
      characters += file.getValue().length();
    }
    if (files.isEmpty()) {
      problems.add(error("", "there is no document"));
    } else if (single.isPresent() && files.size() > 1) {
      problems.add(
          error(files.lastKey(), "the rules are in one file; exactly one document is taken"));
    } else if (characters > MOST_CHARACTERS) {
      problems.add(error(files.firstKey(), "the documents are larger than 16 MiB together"));
    }
    return problems;
  }

  private static Problem error(String file, String reason) {
    return new Problem(Severity.ERROR, file, 0, reason);
  }
}

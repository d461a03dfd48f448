package io.weir.rules.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Selects the files of a folder that are read. */
public interface FileSelector {
  /** The rule files directly in a folder. */
  FileSelector RULES =
      new FileSelector() {
        @Override
        public Stream<Path> in(Path folder) throws IOException {
          return Files.list(folder).filter(FileSelector::isRuleFile);
        }

        @Override
        public String problemIfEmpty() {
          return "the folder holds no *.yaml, *.yml or *.json";
        }
      };

  /** The files, in any order. The caller closes the stream. */
  Stream<Path> in(Path folder) throws IOException;

  /** The problem to report for a folder without such files; empty if that is allowed. */
  String problemIfEmpty();

  /** Skips files whose name begins with a dot: editors and ConfigMaps create them. */
  private static boolean isRuleFile(Path file) {
    String name = String.valueOf(file.getFileName());
    return !name.startsWith(".")
        && (name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json"))
        && !Files.isDirectory(file);
  }
}

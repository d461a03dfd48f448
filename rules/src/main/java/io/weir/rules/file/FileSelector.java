package io.weir.rules.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Which files a folder stands for. */
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

  /** The files, in any order, as a stream to be closed. */
  Stream<Path> in(Path folder) throws IOException;

  /** What is wrong with a folder that holds none; empty if nothing is. */
  String problemIfEmpty();

  /** Files whose name begins with a dot are an editor's or a ConfigMap's own business. */
  private static boolean isRuleFile(Path file) {
    String name = String.valueOf(file.getFileName());
    return !name.startsWith(".")
        && (name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json"))
        && !Files.isDirectory(file);
  }
}

package io.weir.cli;

import picocli.CommandLine.Option;

/** How a command prints its data. */
final class Output {
  /** For people or for programs. */
  enum Form {
    TEXT,
    JSON
  }

  @Option(
      names = {"-o", "--output"},
      paramLabel = "text|json",
      description = "How to print data; text unless said otherwise.")
  private Form form = Form.TEXT;

  boolean isJson() {
    return form == Form.JSON;
  }
}

package io.weir.cli.output;

import picocli.CommandLine.Option;

/** How a command prints its data. */
public final class Output {
  /** For people or for programs. */
  enum Format {
    TEXT,
    JSON
  }

  @Option(
      names = {"-o", "--output"},
      paramLabel = "text|json",
      description = "How to print data; text unless said otherwise.")
  private Format form = Format.TEXT;

  public boolean isJson() {
    return form == Format.JSON;
  }
}

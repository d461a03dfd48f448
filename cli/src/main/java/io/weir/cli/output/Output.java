package io.weir.cli.output;

import picocli.CommandLine.Option;

/** The option for the output format of a command. */
public final class Output {
  /** The output formats. */
  enum Format {
    TEXT,
    JSON
  }

  @Option(
      names = {"-o", "--output"},
      paramLabel = "text|json",
      description = "Output format; default text.")
  private Format form = Format.TEXT;

  public boolean isJson() {
    return form == Format.JSON;
  }
}

package io.weir.cli.output;

import java.io.PrintWriter;
import java.util.List;
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

  /** Prints a list: as an array in JSON, else as a table of these columns. */
  public void list(PrintWriter out, List<JsonMap> rows, String none, String... columns) {
    if (isJson()) {
      out.println(JsonMap.pretty(rows));
    } else {
      TextTable.print(out, rows, none, columns);
    }
    out.flush();
  }

  /** Prints an object in JSON, or else a sentence. */
  public void answer(PrintWriter out, JsonMap answer, String sentence) {
    out.println(isJson() ? answer.pretty() : sentence);
    out.flush();
  }
}

package io.weir.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/**
 * A command run in this process.
 *
 * @param code what it ended with
 */
record Run(int code, String out, String err) {
  static Run of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command =
        Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int code = command.execute(arguments);
    return new Run(code, out.toString(), err.toString());
  }
}

package io.weir.cli.output;

import io.weir.rules.ConfigFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Describes in one line what is wrong with a command line. */
public final class UsageMessage {
  private UsageMessage() {}

  /** The message for a command that needs a subcommand. */
  public static String noCommand(CommandSpec spec) {
    return "a command is missing; there are " + String.join(", ", commands(spec));
  }

  public static String reason(ParameterException e) {
    CommandSpec spec = e.getCommandLine().getCommandSpec();
    if (e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
      return unmatched(unmatched, spec);
    }
    ArgSpec argument = e.getArgSpec();
    String value = e.getValue();
    if (argument != null && value != null) {
      return name(argument) + ": '" + value + "' is not " + wanted(argument);
    }
    if (argument instanceof OptionSpec && argument.isMultiValue()) {
      return name(argument) + " takes " + argument.paramLabel();
    }
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  private static String unmatched(UnmatchedArgumentException e, CommandSpec spec) {
    String first = e.getUnmatched().get(0);
    List<String> known = new ArrayList<>();
    String what;
    if (first.startsWith("-")) {
      what = "unknown option '" + first + "'";
      spec.options().forEach(option -> known.add(option.longestName()));
    } else if (commands(spec).isEmpty()) {
      return "'" + first + "' is one argument too many";
    } else {
      what = "unknown command '" + first + "'";
      known.addAll(commands(spec));
    }
    return what
        + ConfigFile.nearest(first, known)
            .map(near -> "; did you mean '" + near + "'?")
            .orElse(first.startsWith("-") ? "" : "; there are " + String.join(", ", known));
  }

  private static List<String> commands(CommandSpec spec) {
    return spec.subcommands().values().stream()
        .map(CommandLine::getCommandName)
        .distinct()
        .toList();
  }

  private static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
  }

  private static String wanted(ArgSpec argument) {
    Class<?> type = argument.typeInfo().getType();
    if (argument.typeInfo().isMap()) {
      return argument.paramLabel();
    }
    if (argument.typeInfo().isEnum()) {
      return String.join(" or ", argument.typeInfo().getEnumConstantNames())
          .toLowerCase(Locale.ROOT);
    }
    boolean number =
        type == int.class || type == long.class || type == Integer.class || type == Long.class;
    return number ? "a whole number" : argument.paramLabel();
  }
}

package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mistakes on the command line produce a one-line reason. */
class UsageMessageTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          fly                                | unknown command 'fly'; there are serve, gateway, check, explain, rules, rollout, override, keys, tenants, tokens, killswitch, audit, status, doctor, drill; try 'weir --help'
          sevre                              | unknown command 'sevre'; did you mean 'serve'? Try 'weir --help'
          rules vaildate good.yaml           | unknown command 'vaildate'; did you mean 'validate'? Try 'weir rules --help'
          rules                              | a command is missing; there are export, history, rollback, show, validate, diff, apply; try 'weir rules --help'
          serve --colour red                 | unknown option '--colour'; try 'weir serve --help'
          serve --prot 1                     | unknown option '--prot'; did you mean '--port'? Try 'weir serve --help'
          serve now                          | 'now' is one argument too many; try 'weir serve --help'
          serve --port abc                   | --port: 'abc' is not a whole number; try 'weir serve --help'
          serve --port 70000                 | port 70000 is not between 0 and 65535
          check GET / --cost x               | --cost: 'x' is not a whole number; try 'weir check --help'
          check GET / --output xml           | --output: 'xml' is not text or json; try 'weir check --help'
          check GET / -a user                | --attribute: 'user' is not NAME=VALUE; try 'weir check --help'
          check GET                          | Missing required parameter: 'PATH'; try 'weir check --help'
          serve --config none.yaml           | none.yaml: there is no such file
          serve --rules none.yaml            | none.yaml: there is no such file
          rules diff none.yaml none.yaml     | none.yaml: there is no such file
          gateway --upstream localhost:9000  | --upstream: 'localhost:9000' is not an upstream such as http://127.0.0.1:9000; did you mean http://localhost:9000?
          gateway --upstream http://h:9/api  | --upstream: 'http://h:9/api' has more than a host and a port; requests keep their own path, so write http://h:9
          gateway --upstream http://u:s@h    | --upstream: an upstream address must not contain a user or password
          """)
  void saysWhatIsWrong(String arguments, String reason) {
    CommandRun run = CommandRun.of(arguments.split(" +"));

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).isEqualTo("weir: " + reason + "\n");
    assertThat(run.out()).isEmpty();
  }
}

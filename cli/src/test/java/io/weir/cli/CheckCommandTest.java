package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cli.output.JsonMap;
import io.weir.server.WeirServer;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckCommandTest {
  private static WeirServer server;
  private static String url;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    server =
        WeirServer.start(
            ServerConfig.DEFAULT
                .http(new ListenAddress("127.0.0.1", 0))
                .admin(new ListenAddress("127.0.0.1", 0))
                .grpc(new ListenAddress("127.0.0.1", 0))
                .rules(SampleRules.in(folder)));
    url = "http://" + server.http();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void checksUntilTheSampleRefuses() {
    CommandRun first = CommandRun.of("check", "--server", url, "GET", "/", "-a", "ip=198.51.100.7");
    CommandRun last = first;
    int calls = 1;
    while (last.code() == 0 && calls < 10) {
      last = CommandRun.of("check", "--server", url, "GET", "/", "-a", "ip=198.51.100.7");
      calls++;
    }

    assertThat(first.out()).startsWith("allowed by front-page: 4 of 5 left, full again in ");
    assertThat(last.code()).isEqualTo(1);
    assertThat(last.out()).startsWith("refused by front-page: 0 of 5 left, retry in ");
    assertThat(last.err()).isEmpty();
  }

  @Test
  void printsADecisionAsJson() throws IOException {
    CommandRun run =
        CommandRun.of(
            "check",
            "--server",
            url,
            "-o",
            "json",
            "POST",
            "/payments",
            "-a",
            "user=1",
            "--cost",
            "2");

    assertThat(run.code()).isZero();
    assertThat(JsonMap.parse(run.out()).number("remaining")).isEqualTo(3);
  }

  @Test
  void reportsUnlimitedCallsAndRefusalsThatWaitingCannotHelp() {
    CommandRun tooMuch =
        CommandRun.of("check", "--server", url, "POST", "/payments", "-a", "user=2", "--cost", "6");

    assertThat(tooMuch.code()).isEqualTo(1);
    assertThat(tooMuch.out()).contains("waiting cannot help");
  }

  @Test
  void explainsWithTheArithmeticAndTakesNothing() {
    String[] arguments = {
      "explain", "--server", url, "POST", "//payments/?x=1", "-a", "user=3", "-a", "ip=192.0.2.1"
    };
    CommandRun.of(arguments);
    CommandRun run = CommandRun.of(arguments);

    assertThat(run.code()).isZero();
    assertThat(run.out())
        .contains("normal form of the path: /payments")
        .containsPattern("yes payments +matches /payments")
        .containsPattern("no +front-page +path /payments matches none of")
        .contains("payments: sliding-window 5/s")
        .containsPattern("key +3")
        .containsPattern("takes +1")
        .containsPattern("arithmetic .*admits")
        .contains("would be allowed by");
  }

  @Test
  void explainsAsJson() throws IOException {
    CommandRun run =
        CommandRun.of("explain", "--server", url, "--output", "json", "GET", "/search/a");

    assertThat(JsonMap.parse(run.out()).text("normal_path")).isEqualTo("/search/a");
  }

  @Test
  void matchesMethodsInAnyCase() {
    CommandRun run =
        CommandRun.of("check", "--server", url, "post", "/payments", "-a", "user=any-case");

    assertThat(run.out()).contains("payments");
  }

  @Test
  void refusesAPathThatDoesNotBeginWithASlash() {
    for (String command : new String[] {"check", "explain"}) {
      CommandRun run = CommandRun.of(command, "--server", url, "GET", "payments");

      assertThat(run.code()).isEqualTo(2);
      assertThat(run.out()).isEmpty();
      assertThat(run.err())
          .isEqualTo("weir: path 'payments' must begin with '/'; did you mean '/payments'?\n");
    }
  }

  @Test
  void reportsErrorsInOneLine() {
    assertThat(CommandRun.of("check", "--server", "http://127.0.0.1:1", "GET", "/").err())
        .isEqualTo("weir: no server at http://127.0.0.1:1; start one with: weir serve\n");
    assertThat(CommandRun.of("check", "--server", "not a url", "GET", "/").err())
        .isEqualTo("weir: 'http://not a url' is not the address of a server\n");
    CommandRun badCost = CommandRun.of("check", "--server", url, "GET", "/", "--cost", "-1");
    assertThat(badCost.code()).isEqualTo(2);
    assertThat(badCost.err())
        .isEqualTo("weir: 400: cost must be a whole number between 0 and 9007199254740991\n");
    assertThat(CommandRun.of("check", "--server", "http://" + server.admin(), "GET", "/").err())
        .startsWith("weir: 404: ");
  }
}

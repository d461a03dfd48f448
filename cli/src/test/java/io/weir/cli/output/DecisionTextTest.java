package io.weir.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class DecisionTextTest {
  private static String text(String fields) throws IOException {
    return DecisionText.decision(JsonMap.parse("{" + fields + "}"));
  }

  @Test
  void namesTheRulesThatACallIsOver() throws IOException {
    assertThat(
            text(
                "\"allowed\":true,\"rule\":\"hard\",\"reason\":\"ok\",\"limit\":9,\"remaining\":7,"
                    + "\"reset_ms\":0,\"delay_ms\":0,\"over\":[\"soft\",\"softer\"]"))
        .isEqualTo("allowed by hard: 7 of 9 left, over soft,softer");
    assertThat(text("\"allowed\":true,\"rule\":null,\"reason\":\"ok\",\"over\":[\"soft\"]"))
        .isEqualTo("allowed, no rule limits this call, over soft");
  }

  @Test
  void saysWhyACallIsRefusedByARuleThatIsNotShown() throws IOException {
    assertThat(text("\"allowed\":false,\"rule\":null,\"reason\":\"limited\""))
        .isEqualTo("refused: limited");
  }
}

package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.engine.Engine;
import io.weir.rule.RuleSet;
import io.weir.rules.RuleDocuments;
import io.weir.server.fixture.TestServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CodeWarmUpTest {
  private static RuleSet rules() {
    String document = TestServer.document("{ id: all, key: [ip], limit: 5/h }");
    return RuleDocuments.parse("rules.yaml", document).value().orElseThrow();
  }

  @Test
  void takesNothingAndIsNotCounted() {
    List<Decision> decisions = new ArrayList<>();
    Engine engine =
        Engine.builder()
            .rules(rules())
            .listener((call, decision) -> decisions.add(decision))
            .build();

    CodeWarmUp.run(engine);

    assertThat(decisions).isEmpty();
    Call call = Call.of("GET", "/").with("ip", "192.0.2.1");
    assertThat(engine.lookAsync(call).toCompletableFuture().join().remaining()).isEqualTo(5);
  }
}

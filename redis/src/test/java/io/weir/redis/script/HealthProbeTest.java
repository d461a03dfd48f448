package io.weir.redis.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HealthProbeTest {
  private static final Pattern COMMAND = Pattern.compile("\\bp?call\\('([A-Z]+)'");

  private static Stream<String> commands(Script script) {
    return COMMAND.matcher(new String(script.text(), UTF_8)).results().map(call -> call.group(1));
  }

  /** Otherwise a node that refuses one of them would flap. */
  @Test
  void usesEveryCommandThatCallsUse() {
    Set<String> ofCalls =
        Arrays.stream(Script.values())
            .filter(script -> script != HealthProbe.SCRIPT)
            .flatMap(HealthProbeTest::commands)
            .collect(Collectors.toSet());

    assertThat(commands(HealthProbe.SCRIPT))
        .hasSize(6)
        .containsExactlyInAnyOrderElementsOf(ofCalls);
  }
}

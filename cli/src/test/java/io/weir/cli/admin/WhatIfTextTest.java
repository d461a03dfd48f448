package io.weir.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cli.output.JsonMap;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class WhatIfTextTest {
  @Test
  void saysWhatTheNumbersRestOnAndWhomARuleRefuses() throws IOException {
    String effect =
        """
        "calls":12480,"keys":310,"newly_refused":{"calls":12,"keys":1},\
        "newly_admitted":{"calls":0,"keys":0}""";
    String json =
        "{\"span_seconds\":600.5,\"recorded_calls\":12480,\"callers\":310,\"instances\":2,"
            + "\"instances_asked\":3,"
            + effect
            + ",\"rules\":[{\"rule\":\"payments\","
            + effect
            + "}],\"notes\":[]}";
    String numbers =
        "newly refused 12 calls by 1 key, newly admitted 0 calls by 0 keys,"
            + " of 12,480 calls by 310 keys";
    assertThat(WhatIfText.lines(JsonMap.parse(json)))
        .containsExactly(
            "what-if on 12,480 recorded calls of 310 callers in 600.5 s, from 2 of 3 instances",
            "  all rules: " + numbers,
            "  payments: " + numbers);
  }

  @Test
  void saysThatNothingIsRecorded() throws IOException {
    assertThat(WhatIfText.lines(JsonMap.parse("{\"recorded_calls\":0}")))
        .containsExactly("what-if: no calls are recorded yet, so nothing is predicted");
  }
}

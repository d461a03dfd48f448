package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FaultsTest {
  @Test
  void countsErrorsAndTellsCallersOnlyAnId() {
    Faults faults = new Faults();
    HttpProblem problem = faults.report(new IllegalStateException("the password is swordfish"));
    Json json = new Json();
    problem.write(json);

    assertThat(faults.count()).isEqualTo(1);
    assertThat(problem.status()).isEqualTo(503);
    assertThat(json.toString()).doesNotContain("swordfish", "IllegalState").contains("\"detail\"");
  }
}

package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeadlinesTest {
  private final Deadlines deadlines = new Deadlines(Duration.ofMillis(20));

  @AfterEach
  void stop() {
    deadlines.close();
  }

  private Ask ask() {
    return deadlines.ask(
        Watches.quiet("node"), Purpose.USE, Script.BUCKET, new byte[1][], new byte[0]);
  }

  private static CompletableFuture<Unanswered.Kind> reasonOf(Ask ask) {
    return ask.handle((answer, problem) -> ((Unanswered) problem).kind());
  }

  @Test
  void tellsEverybodyWhoIsLateAndNobodyElse() throws Exception {
    Ask answered = ask();
    answered.answer(new byte[0]);
    Ask first = ask();
    Ask second = ask();

    assertThat(reasonOf(first).get(5, TimeUnit.SECONDS)).isEqualTo(Unanswered.Kind.TIMEOUT);
    assertThat(reasonOf(second).get(5, TimeUnit.SECONDS)).isEqualTo(Unanswered.Kind.TIMEOUT);
    assertThat(answered).isCompletedWithValueMatching(bytes -> bytes.length == 0);
  }

  @Test
  void whoeverIsToldMayWaitForAnotherDecision() throws Exception {
    CompletableFuture<Unanswered.Kind> both =
        reasonOf(ask()).thenApply(first -> reasonOf(ask()).join());

    assertThat(both.get(5, TimeUnit.SECONDS)).isEqualTo(Unanswered.Kind.TIMEOUT);
  }

  @Test
  void whoeverIsToldMayWaitForSomebodyWhoIsLateAtTheSameTime() throws Exception {
    Ask first = ask();
    Ask second = ask();
    CompletableFuture<Unanswered.Kind> reasonOfSecond = reasonOf(second);

    assertThat(reasonOf(first).thenApply(told -> reasonOfSecond.join()).get(5, TimeUnit.SECONDS))
        .isEqualTo(Unanswered.Kind.TIMEOUT);
  }

  @Test
  void tellsWhoeverStillWaitsWhenItEnds() throws Exception {
    try (Deadlines patient = new Deadlines(Duration.ofSeconds(60))) {
      Ask ask =
          patient.ask(
              Watches.quiet("node"), Purpose.USE, Script.BUCKET, new byte[1][], new byte[0]);
      patient.close();
      assertThat(reasonOf(ask).get(5, TimeUnit.SECONDS)).isEqualTo(Unanswered.Kind.DISCONNECTED);
    }
  }
}

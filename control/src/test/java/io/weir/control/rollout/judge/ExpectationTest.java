package io.weir.control.rollout.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.weir.control.rollout.judge.ExpectationRule.Publication;
import io.weir.control.rollout.judge.ExpectationRule.Result;
import io.weir.control.whatif.WhatIf;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExpectationTest {
  private static Optional<Prediction> prediction(long keys, long refused) {
    return Optional.of(new Prediction(keys, refused, Collections.emptySortedMap()));
  }

  private static Result.Accepted accepted(Result result) {
    return (Result.Accepted) result;
  }

  @Test
  void thePredictionIsTheExpectationUpToFivePercent() {
    Result result =
        ExpectationRule.decide(Publication.APPLY, Optional.empty(), prediction(1000, 50));

    assertThat(accepted(result).expectation().refusedKeys()).isEqualTo(0.05);
    assertThat(accepted(result).expectation().source()).isEqualTo(Expectation.Source.PREDICTED);
    assertThat(accepted(result).warnings()).isEmpty();
  }

  @Test
  void aboveFivePercentTheAuthorMustStateIt() {
    Result result =
        ExpectationRule.decide(Publication.APPLY, Optional.empty(), prediction(2350, 912));

    assertThat(((Result.NeedsExpect) result).message())
        .isEqualTo(
            "the change would refuse 912 of 2350 keys (38.81%) that are admitted today; publish it"
                + " with expect: { refused_keys: 39% } if that is intended");
  }

  @Test
  void theAuthorIsAskedForWhatTheJudgeWillSee() {
    Prediction prediction = new Prediction(100, 10, new TreeMap<>(Map.of("api", 0.134)));
    Result result =
        ExpectationRule.decide(Publication.APPLY, Optional.empty(), Optional.of(prediction));

    assertThat(((Result.NeedsExpect) result).message())
        .contains("10 of 100 keys (10%)")
        .contains("refused_keys: 14% }");
  }

  @Test
  void aStatedExpectationBelowThePredictionWarnsAndPublishes() {
    Result result =
        ExpectationRule.decide(Publication.APPLY, Optional.of(0.02), prediction(100, 9));

    assertThat(accepted(result).expectation().refusedKeys()).isEqualTo(0.02);
    assertThat(accepted(result).warnings())
        .containsExactly(
            "the stated expectation of 2% is below the prediction: 9 of 100 keys (9%) would be"
                + " refused");
    assertThat(
            accepted(
                    ExpectationRule.decide(Publication.APPLY, Optional.of(0.1), prediction(100, 9)))
                .warnings())
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"FILE", "ROLLBACK"})
  void filesAndRollbacksAreExpectedToRefuseFivePercent(Publication publication) {
    Result large = ExpectationRule.decide(publication, Optional.empty(), prediction(100, 60));
    Result unknown = ExpectationRule.decide(publication, Optional.empty(), Optional.empty());

    assertThat(accepted(large).expectation().refusedKeys()).isEqualTo(0.05);
    assertThat(accepted(large).warnings()).singleElement().asString().contains("60 of 100 keys");
    assertThat(accepted(unknown).expectation().refusedKeys()).isEqualTo(0.05);
    assertThat(accepted(unknown).expectation().source().name()).isEqualTo(publication.name());
  }

  @Test
  void nothingRecordedMeansThatNoRefusalIsExpected() {
    for (Optional<Prediction> none : List.of(Optional.<Prediction>empty(), prediction(0, 0))) {
      Result result = ExpectationRule.decide(Publication.APPLY, Optional.empty(), none);
      assertThat(accepted(result).expectation()).isEqualTo(Expectation.NONE);
      assertThat(accepted(result).warnings()).hasSize(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"0,0.005", "0.004,0.009", "0.005,0.01", "0.02,0.04", "0.05,0.1", "0.6,1.2"})
  void theThresholdIsTwiceTheExpectationOrHalfAPointAbove(double expected, double threshold) {
    assertThat(Expectation.of(expected, Expectation.Source.STATED).threshold("api"))
        .isEqualTo(threshold, within(1e-12));
  }

  @Test
  void aRuleIsJudgedByItsOwnPredictionIfThatIsLarger() {
    Prediction prediction =
        new Prediction(1000, 20, new TreeMap<>(Map.of("small", 0.4, "calm", 0.001)));
    Expectation expectation =
        accepted(
                ExpectationRule.decide(
                    Publication.APPLY, Optional.empty(), Optional.of(prediction)))
            .expectation();

    assertThat(expectation.of("small")).isEqualTo(0.4);
    assertThat(expectation.of("calm")).isEqualTo(0.02);
    assertThat(expectation.of("other")).isEqualTo(0.02);
    assertThat(Expectation.read(expectation.toJson()).of("small")).isEqualTo(0.4);
  }

  @Test
  void isStoredAsJson() {
    Expectation stated = Expectation.of(0.02, Expectation.Source.STATED);

    assertThat(stated.toJson()).isEqualTo("{\"refused_keys\":\"2%\",\"source\":\"stated\"}");
    assertThat(Expectation.read(stated.toJson())).isEqualTo(stated);
    assertThat(Expectation.read("{\"refused_keys\":\"2%\"}")).isEqualTo(stated);
    assertThat(Expectation.read("2%")).isEqualTo(stated);
    assertThat(Expectation.read("")).isEqualTo(Expectation.NONE);
    assertThatThrownBy(() -> Expectation.read("{\"refused_keys\":\"lots\"}"))
        .hasMessage("refused_keys: 'lots' is not a percentage from 0% to 100%, such as 2%");
    assertThatThrownBy(() -> Expectation.read("{")).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2", "-1%", "101%", "%", "two%", "", "1e3%"})
  void refusesWhatIsNoPercentage(String text) {
    assertThatThrownBy(() -> Percentage.parse("expect", text)).hasMessageStartingWith("expect: '");
  }

  @ParameterizedTest
  @CsvSource({"0,0%", "0.02,2%", "0.005,0.5%", "0.38809,38.81%", "1,100%", "0.000001,0.01%"})
  void printsPercentages(double share, String text) {
    assertThat(Percentage.print(share)).isEqualTo(text);
  }

  @Test
  void thePredictionIsThatOfTheRuleWithTheLargestShare() {
    WhatIf.Basis basis =
        new WhatIf.Basis(Instant.EPOCH, Instant.EPOCH.plusSeconds(600), 5000, 90, 1, 1, 1, true);
    WhatIf.Change none = new WhatIf.Change(0, 0);
    WhatIf.Effect total = new WhatIf.Effect(5000, 90, new WhatIf.Change(40, 5), none);
    WhatIf.Group large =
        new WhatIf.Group("large", new WhatIf.Effect(4000, 1000, new WhatIf.Change(9, 5), none));
    WhatIf.Group small =
        new WhatIf.Group("small", new WhatIf.Effect(100, 20, new WhatIf.Change(9, 4), none));
    WhatIf whatIf =
        new WhatIf(
            basis,
            total,
            List.of(large, small),
            List.of(),
            List.of(),
            0.2,
            new TreeMap<>(Map.of("small", 0.3)),
            List.of());

    Prediction prediction = Prediction.of(whatIf).orElseThrow();

    assertThat(prediction.describe()).isEqualTo("4 of 20 keys (20%)");
    assertThat(prediction.peaks()).isEqualTo(Map.of("small", 0.3));
    assertThat(Prediction.of(WhatIf.nothingRecorded(1, 1))).isEmpty();
  }
}

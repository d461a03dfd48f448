package io.weir.control.whatif;

import static io.weir.control.whatif.RecordedTraffic.HASH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.weir.Call;
import io.weir.Limit;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LimitSuggesterTest {
  /** User n of 100 makes n calls within a minute, then one a minute later. */
  private static Recording rising() {
    RecordedTraffic traffic = new RecordedTraffic();
    for (int user = 1; user <= 100; user++) {
      for (int i = 0; i < user; i++) {
        traffic.call(RecordedTraffic.byUser("u" + user));
      }
    }
    traffic.time.advance(Duration.ofSeconds(61));
    for (int user = 1; user <= 100; user++) {
      traffic.call(RecordedTraffic.byUser("u" + user));
    }
    return traffic.recording();
  }

  @Test
  void quantilesAreThoseOfPeaksPerKey() {
    Suggestion suggestion =
        new LimitSuggester(rising(), HASH, RuleSet.EMPTY).forKey(List.of("user"));

    assertThat(suggestion.keys()).isEqualTo(100);
    assertThat(suggestion.calls()).isEqualTo(5150);
    assertThat(suggestion.peaks()).isEqualTo(new Suggestion.Peaks(50, 90, 99, 100));
    assertThat(suggestion.text()).isEqualTo("130/min");
    assertThat(suggestion.confidence()).isCloseTo(0.634, within(0.001));
    assertThat(suggestion.notes()).isEmpty();
    assertThat(suggestion.toJson())
        .startsWith("{\"key\":[\"user\"],\"per\":\"min\",\"keys\":100,")
        .contains("\"peak\":{\"p50\":50,\"p90\":90,\"p99\":99,\"p99_9\":100}")
        .contains("\"suggested\":\"130/min\"");
  }

  @Test
  void aRuleCountsItsOwnCallsPerItsOwnPeriod() {
    RecordedTraffic traffic = new RecordedTraffic();
    for (int i = 0; i < 30; i++) {
      traffic.call(Call.of("GET", "/v1/" + i).with("user", "u"));
      traffic.call(Call.of("GET", "/other").with("user", "u"));
      traffic.time.advance(Duration.ofMillis(100));
    }
    RuleSet rules =
        RuleSet.of(
            Rule.named("v1")
                .match(Match.path("/v1/*"))
                .key("user")
                .limit(Limit.perSecond(5))
                .build());
    LimitSuggester suggester = new LimitSuggester(traffic.recording(), HASH, rules);

    assertThat(suggester.forRule("v1").peaks().p999()).isEqualTo(10);
    assertThat(suggester.forRule("v1").text()).isEqualTo("13/s");
    assertThatThrownBy(() -> suggester.forRule("v2")).hasMessage("there is no rule v2");
  }

  @Test
  void callsWithoutThePartAreLeftOut() {
    Suggestion suggestion =
        new LimitSuggester(rising(), HASH, RuleSet.EMPTY).forKey(List.of("tenant"));

    assertThat(suggestion.keys()).isZero();
    assertThat(suggestion.limit()).isZero();
    assertThat(suggestion.confidence()).isZero();
    assertThat(suggestion.toJson()).doesNotContain("suggested");
  }

  @Test
  void saysIfPeaksAreALowerBound() {
    Recording recording =
        new RecordedTraffic(new RecordingSettings(500, 1 << 20))
            .users(300, 60, Duration.ofSeconds(10))
            .recording();

    assertThat(new LimitSuggester(recording, HASH, RuleSet.EMPTY).forKey(List.of("path")).notes())
        .hasSize(2);
  }

  @Test
  void roundsUpToTwoDigits() {
    assertThat(LimitSuggester.withHeadroom(0)).isZero();
    assertThat(LimitSuggester.withHeadroom(1)).isEqualTo(2);
    assertThat(LimitSuggester.withHeadroom(10)).isEqualTo(13);
    assertThat(LimitSuggester.withHeadroom(1234)).isEqualTo(1600);
  }
}

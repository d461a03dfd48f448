package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";

  @Test
  void readsTheExampleOfTheStandard() {
    assertThat(TraceParent.of("00-" + TRACE + "-" + SPAN + "-01"))
        .hasValue(new TraceParent(TRACE, SPAN));
  }

  @Test
  void readsTheKnownPartOfLaterVersions() {
    assertThat(TraceParent.of("cc-" + TRACE + "-" + SPAN + "-01-what-the-future-will-be-like"))
        .hasValue(new TraceParent(TRACE, SPAN));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0\n",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
        "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01"
      })
  void rejectsMalformedHeaders(String header) {
    assertThat(TraceParent.of(header)).isEmpty();
  }

  @Test
  void canBeMissing() {
    assertThat(TraceParent.of(null)).isEmpty();
  }
}

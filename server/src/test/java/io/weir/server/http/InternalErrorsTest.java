package io.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InternalErrorsTest {
  @Test
  void countsErrorsAndReturnsOnlyAnId() {
    InternalErrors errors = new InternalErrors();
    HttpProblemException problem =
        errors.report(new IllegalStateException("the password is swordfish"));
    JsonWriter json = new JsonWriter();
    problem.write(json);

    assertThat(errors.count()).isEqualTo(1);
    assertThat(problem.status()).isEqualTo(503);
    assertThat(json.toString()).doesNotContain("swordfish", "IllegalState").contains("\"detail\"");
  }

  @Test
  void logsNoLineForgedByAClient() {
    Throwable cause = new IllegalStateException("bad: v\r\n12:00:00 ERROR all is lost\u0001");
    Throwable logged =
        SanitizedException.of(new IllegalArgumentException("x".repeat(100_000), cause));

    assertThat(logged.getMessage())
        .startsWith("java.lang.IllegalArgumentException: xxx")
        .hasSizeLessThan(400);
    assertThat(logged.getCause())
        .hasMessage(
            "java.lang.IllegalStateException: bad: v\\u000d\\u000a12:00:00 ERROR all is lost\\u0001");
    assertThat(logged.getStackTrace()[0].getMethodName()).isEqualTo("logsNoLineForgedByAClient");
  }

  @Test
  void logsOtherErrorsAsTheyAre() {
    Throwable error = new IllegalStateException("plain", new RuntimeException());

    assertThat(SanitizedException.of(error)).isSameAs(error);
  }
}

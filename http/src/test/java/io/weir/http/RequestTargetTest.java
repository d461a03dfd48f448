package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.base.NormalizedPath;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestTargetTest {
  @ParameterizedTest
  @CsvSource({
    "/a/../b?x=1, /b?x=1",
    "//b, /b",
    "/%62, /b",
    "/b/, /b/",
    "/b//, /b/",
    "/b/?x, /b/?x",
    "/b;x=1?y=;, /b;x=1?y=;",
    "/a;x=1/../b/, /b/",
    "/%2e%2e/b, /b",
    "/%252e/b, /%252e/b",
    "/a\\b, /a/b",
    "/b?q=/../%2F, /b?q=/../%2F",
    "/b#f, /b",
    "/b?q#f, /b?q",
    "/b#f?q, /b",
    "http://host/b?q, /b?q",
    "http://host, /",
    "http://host?q, /?q",
    "HTTPS://u@host:1//b, /b",
    "/a://b, /a:/b",
    "'', /",
    "?q, /?q"
  })
  void forwardsThePathThatIsMatched(String text, String forwarded) {
    RequestTarget target = RequestTarget.of(text);

    assertThat(target.forwarded(NormalizedPath.of(target.path()))).isEqualTo(forwarded);
    assertThat(target.isAmbiguous()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "b",
        "host:443",
        "*/a",
        "/a%2Fb",
        "/a%2fb",
        "/a%5Cb",
        "/a%5cb",
        "/a%00",
        "/%00",
        "/a b",
        "/a\tb",
        "/a\u0000b",
        "/a?b c",
        "/a?\r\nX: y",
        "/a\u007f",
        "/a/..%3B/b",
        "/a/..%3bx=1/b",
        "/%2e%2E%3B/b",
        "/.%2e%3B",
        "/a/.%3Bx",
        "/a\\..%3B/../b"
      })
  void rejectsTargetsOnWhichServersDisagree(String text) {
    assertThat(RequestTarget.of(text).isAmbiguous()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a%252F",
        "/a%2",
        "/a%",
        "/a?b=%2F%00",
        "/%20",
        "/a%2e",
        "/b%3Bx",
        "/...%3B",
        "/a..%3B",
        "/a;..%3B"
      })
  void acceptsOtherTargets(String text) {
    assertThat(RequestTarget.of(text).isAmbiguous()).isFalse();
  }

  /** One character per byte: this is é in UTF-8 as received. */
  @Test
  void encodesBytesBeyondAsciiAsTheyAre() {
    RequestTarget target = RequestTarget.of("/caf\u00c3\u00a9?q=\u00c3\u00a9%20\u00ff");

    assertThat(NormalizedPath.of(target.path())).isEqualTo(NormalizedPath.of("/caf\u00e9"));
    assertThat(target.forwarded(NormalizedPath.of(target.path())))
        .isEqualTo("/caf%C3%A9?q=%C3%A9%20%FF");
  }

  @Test
  void aStarIsTheWholeServer() {
    RequestTarget star = RequestTarget.of("*");

    assertThat(star.path()).isEqualTo("/");
    assertThat(star.forwarded("/")).isEqualTo("*");
    assertThat(star.isAmbiguous()).isFalse();
    assertThat(RequestTarget.of("/*").forwarded("/*")).isEqualTo("/*");
  }

  @Property
  void forwardedPathMatchesTheSameRules(@ForAll String text) {
    RequestTarget target = RequestTarget.of("/" + text);
    String normal = NormalizedPath.of(target.path());

    assertThat(NormalizedPath.of(target.forwarded(normal))).isEqualTo(normal);
  }
}

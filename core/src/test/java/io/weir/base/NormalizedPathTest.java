package io.weir.base;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NormalizedPathTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "/ /",
        "/b /b",
        "/a/../b /b",
        "//b /b",
        "/%62 /b",
        "/b/ /b",
        "/b// /b",
        "/b;x=1 /b",
        "/a;v=1/b;x=1;y /a/b",
        "/a/%2e%2e/b /b",
        "/a/%2E./b /b",
        "/a/./b/. /a/b",
        "/.. /",
        "/../../b /b",
        "/a/..;x/b /b",
        "/%252e%252e/b /%252e%252e/b",
        "\\a\\b /a/b",
        "/a\\..\\b /b",
        "/a%2fb /a%2Fb",
        "/a%5cb /a%5Cb",
        "/a%00 /a%00",
        "/a?x=/../b /a",
        "/a#frag /a",
        "/a%3Fb /a%3Fb",
        "/%7Euser /~user",
        "/%zz /%25zz",
        "/% /%25",
        "/a%2 /a%252",
        "a/b /a/b",
        "/... /...",
        "/.hidden /.hidden",
        "/a..b /a..b",
        "/é /%C3%A9",
        "/%c3%a9 /%C3%A9",
        "/😀 /%F0%9F%98%80",
        "/a|b /a%7Cb",
        "/a:b@c,d=e+f /a:b@c,d=e+f",
        "/a%3ab%40c /a%3Ab%40c",
        "/{id} /%7Bid%7D",
      })
  void bringsEverySpellingToOneForm(String path, String normal) {
    assertThat(NormalizedPath.of(path)).isEqualTo(normal);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "/ /",
        "/b /b",
        "/b/ /b/",
        "/b// /b/",
        "//b/ /b/",
        "/%62/ /b/",
        "/./ /",
        "// /",
        "/.. /",
        "/b/. /b/",
        "/b/./ /b/",
        "/b/.. /",
        "/a/b/.. /a/",
        "/a/b/../ /a/",
        "/b\\ /b/",
        "/b;x=1 /b;x=1",
        "/b;x=1/ /b;x=1/",
        "/b/;x=1 /b/",
        "/;x=1 /",
        "/;x=1/b /b",
        "/a/;x/.. /",
        "/a;x=1/../b /b",
        "/a;v=1/b;x=1;y /a;v=1/b;x=1;y",
        "/..;/b /b",
        "/a/..;x=1/b /b",
        "/a/..;x /",
        "/a/%2e%2E;x/b;y /b;y",
        "/a/.;x/b /a/b",
        "/a/c;x=1/..;y/b /a/b",
        "/b; /b;",
        "/%62;%62=%2e%7E /b;%62=%2e%7E",
        "/b;x=%c3%a9 /b;x=%c3%a9",
        "/b;x=é|% /b;x=%C3%A9%7C%25",
        "/b;x=1\\..\\c /c",
        "/b%3Bx=1/ /b%3Bx=1/",
        "/b;x=1?q=/../ /b;x=1",
        "a/b/ /a/b/",
      })
  void forwardsTrailingSlashAndMatrixParametersAsSent(String path, String forwarded) {
    assertThat(NormalizedPath.forwarded(path)).isEqualTo(forwarded);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "/docs/", "/a/b.json", "/a;v=1/b;x=%C3%a9,;y/", "/v1/users/42;", "/.a/..b/"})
  void forwardsAPlainPathUnchanged(String path) {
    assertThat(NormalizedPath.forwarded(path)).isSameAs(path);
  }

  @Test
  void anEmptyPathIsTheRoot() {
    assertThat(NormalizedPath.of("")).isEqualTo("/");
    assertThat(NormalizedPath.of("?x")).isEqualTo("/");
  }

  @Test
  void returnsANormalPathUnchanged() {
    String path = "/v1/users/42/orders.json";

    assertThat(NormalizedPath.of(path)).isSameAs(path);
  }

  @Property
  void isAFixedPoint(
      @ForAll
          @Chars({'/', '.', '%', '2', 'e', 'E', 'f', '\\', ';', '?', '#', 'a', '\u0000', 'é'})
          @StringLength(max = 24)
          String path) {
    String normal = NormalizedPath.of(path);

    assertThat(NormalizedPath.of(normal)).isEqualTo(normal);
    assertThat(normal).startsWith("/").doesNotContain("//", "\\", ";", "?", "#");
    assertThat(normal + "/").doesNotContain("/./", "/../");
  }

  /** No dot segment is left, not even for a server that does not know matrix parameters. */
  @Property(tries = 5000)
  void forwardedPathHasTheSameNormalForm(
      @ForAll
          @Chars({'/', '.', '%', '2', 'e', 'E', '\\', ';', '?', '#', 'a', '|', 'é'})
          @StringLength(max = 16)
          String path) {
    String forwarded = NormalizedPath.forwarded(path);

    assertThat(NormalizedPath.of(forwarded)).isEqualTo(NormalizedPath.of(path));
    assertThat(NormalizedPath.forwarded(forwarded)).isEqualTo(forwarded);
    assertThat(forwarded).startsWith("/").doesNotContain("//", "\\", "?", "#", "/;");
    assertThat(forwarded.replaceAll(";[^/]*", "") + "/").doesNotContain("//.", "/./", "/../");
  }

  @Property
  void anyTextHasANormalForm(@ForAll @CharRange(from = '\u0000', to = '\uffff') String path) {
    String normal = NormalizedPath.of(path);

    assertThat(NormalizedPath.of(normal)).isEqualTo(normal);
    assertThat(normal.chars()).allMatch(c -> c > ' ' && c < 127);
  }
}

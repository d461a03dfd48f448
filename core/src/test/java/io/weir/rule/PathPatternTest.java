package io.weir.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathPatternTest {

  @ParameterizedTest
  @CsvSource({
    "/,/,true",
    "/,/a,false",
    "/a,/a,true",
    "/a/,/a,true",
    "/a,/a/b,false",
    "/a,/ab,false",
    "/v1/users/{id},/v1/users/42,true",
    "/v1/users/{id},/v1/users,false",
    "/v1/users/{id},/v1/users/42/x,false",
    "/v1/*/x,/v1/any/x,true",
    "/v1/**,/v1,true",
    "/v1/**,/v1/a/b/c,true",
    "/v1/**,/v10,false",
    "/**,/,true",
    "/**,/anything/at/all,true",
    "/{a}/**,/,false",
    "/%61,/a,true",
    "/caf\u00e9,/caf%C3%A9,true",
    "/x%3apredict,/x%3Apredict,true",
    "/x:predict,/x%3Apredict,false",
  })
  void matchesWholeSegments(String pattern, String path, boolean matches) {
    assertThat(PathPattern.of(pattern).matches(path)).isEqualTo(matches);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "/a*", "/**/b", "/{}", "/{a}b", "/{a", "/a//b", "/../b", "/.*"})
  void rejectsInvalidPatterns(String pattern) {
    assertThatThrownBy(() -> PathPattern.of(pattern)).isInstanceOf(IllegalArgumentException.class);
  }
}

package io.weir.server.envoy.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.envoy.EnvoyFolder;
import io.weir.rules.envoy.EnvoyOptions;
import io.weir.rules.envoy.EnvoyUnit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limit that matches a descriptor, identified by its number of requests, and the key. */
class CompiledDomainTest {
  private static final String FILE =
      """
      domain: d
      descriptors:
        - { key: user, rate_limit: { unit: day, requests_per_unit: 1 } }
        - { key: user, value: vip }
        - { key: user, value: bot, rate_limit: { unit: day, requests_per_unit: 2 } }
        - { key: user, value: "a*", rate_limit: { unit: day, requests_per_unit: 3 } }
        - { key: user, value: "ab*", rate_limit: { unit: day, requests_per_unit: 4 } }
        - { key: user, value: "*.com", rate_limit: { unit: day, requests_per_unit: 5 } }
        - { key: user, value: "x*y*z", rate_limit: { unit: day, requests_per_unit: 6 } }
        - key: path
          rate_limit: { unit: day, requests_per_unit: 10 }
          descriptors:
            - key: user
              descriptors:
                - { key: method, value: POST, rate_limit: { unit: day, requests_per_unit: 11 } }
            - { key: host, rate_limit: { unit: day, requests_per_unit: 12 } }
        - key: file
          value: "f/*"
          share_threshold: true
          descriptors:
            - { key: user, rate_limit: { unit: day, requests_per_unit: 13 } }
        - { key: a_b, rate_limit: { unit: day, requests_per_unit: 14 } }
        - { key: empty, value: "", rate_limit: { unit: day, requests_per_unit: 15 } }
      """;

  @TempDir private Path folder;
  private CompiledDomain domain;

  @BeforeEach
  void read() throws IOException {
    Path file = Files.writeString(folder.resolve("d.yaml"), FILE);
    EnvoyConfig config =
        EnvoyConfig.of(
            EnvoyFolder.load(file, EnvoyOptions.DEFAULT).value().orElseThrow().domains(), "");
    domain = config.domain("d").orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      textBlock =
          """
          user=someone,                        1,  d.user
          user=,                               1,  d.user
          user=vip,                            -,  -
          user=bot,                            2,  d.user_bot
          user=abc,                            3,  -
          user=a,                              3,  -
          user=a*,                             3,  -
          user=b.com,                          5,  -
          user=.com,                           5,  -
          user=xyz,                            6,  -
          user=xyyz,                           6,  -
          user=x1y2z,                          6,  -
          user=xzy,                            1,  -
          User=someone,                        -,  -
          path=/a,                             10, d.path
          path=/a user=1,                      -,  -
          path=/a user=1 method=POST,          11, d.path.user.method_POST
          path=/a user=1 method=GET,           -,  -
          path=/a user=1 method=POST host=h,   -,  -
          path=/a host=h,                      12, d.path.host
          path=/a other=h,                     -,  -
          user=1 path=/a,                      -,  -
          file=f/1 user=1,                     13, -
          file=g/1 user=1,                     -,  -
          a_b=c,                               14, d.a_b
          a=b,                                 -,  -
          empty=,                              15, d.empty
          """)
  void findsTheLimit(String entries, Long requests, String id) {
    CompiledDomain.LimitMatch meeting = domain.match(Descriptors.descriptor(entries.split(" ")));
    assertThat(meeting == null ? null : meeting.limit().counted().requestsPerUnit())
        .isEqualTo(requests);
    if (meeting != null && id != null) {
      assertThat(meeting.limit().id()).isEqualTo(id);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "user=1, user=2, false",
    "user=1, user=1, true",
    "user=a1, user=a2, false",
    "user=bot, user=bot, true",
    "path=/a host=h, path=/b host=h, false",
    "path=/a host=h, path=/a host=i, false",
    "path=a:b host=c, path=a host=b:c, false",
    "path=/a user=1 method=POST, path=/a user=2 method=POST, false",
    "file=f/1 user=1, file=f/2 user=1, true",
    "file=f/1 user=1, file=f/1 user=2, false",
  })
  void sharesACountOnlyForEqualKeys(String one, String other, boolean same) {
    CompiledDomain.LimitMatch first = domain.match(Descriptors.descriptor(one.split(" ")));
    CompiledDomain.LimitMatch second = domain.match(Descriptors.descriptor(other.split(" ")));
    assertThat(first.key().equals(second.key())).isEqualTo(same);
  }

  @Test
  void matchesNothingWithoutEntries() {
    assertThat(domain.match(Descriptors.descriptor())).isNull();
  }

  @Test
  void countsOwnLimitsByAllEntriesAndUnit() {
    CompiledDomain.LimitMatch one =
        domain.match(Descriptors.own(5, EnvoyUnit.DAY, "any=1", "thing=2"));
    CompiledDomain.LimitMatch more =
        domain.match(Descriptors.own(9, EnvoyUnit.DAY, "any=1", "thing=2"));
    CompiledDomain.LimitMatch other =
        domain.match(Descriptors.own(5, EnvoyUnit.WEEK, "any=1", "thing=2"));
    CompiledDomain.LimitMatch vip = domain.match(Descriptors.own(5, EnvoyUnit.DAY, "user=vip"));

    assertThat(one.limit().id()).isEqualTo("d.override");
    assertThat(one.limit().counted().requestsPerUnit()).isEqualTo(5);
    assertThat(more.limit().counted().requestsPerUnit()).isEqualTo(9);
    assertThat(more.key()).isEqualTo(one.key());
    assertThat(more.limit().pool().slot()).isEqualTo(one.limit().pool().slot());
    assertThat(other.limit().pool().slot()).isNotEqualTo(one.limit().pool().slot());
    assertThat(vip.key()).isNotEqualTo(one.key());
  }
}

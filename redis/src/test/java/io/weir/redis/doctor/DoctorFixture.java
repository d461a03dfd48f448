package io.weir.redis.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisOptions;
import io.weir.redis.doctor.Finding.Grade;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;

/** Runs the doctor in tests. */
public final class DoctorFixture {
  private DoctorFixture() {}

  public static List<Finding> examine(RedisOptions options) {
    return Doctor.examine(options, SystemTime.INSTANCE);
  }

  /** Options with a long timeout, as the test machine may be busy. */
  public static RedisOptions patient(String uri) {
    return RedisOptions.of(uri).timeout(Duration.ofSeconds(2));
  }

  static Finding only(List<Finding> findings, String check) {
    return findings.stream()
        .filter(finding -> finding.check().equals(check))
        .reduce(
            (one, other) -> {
              throw new AssertionError("two of " + check + ": " + findings);
            })
        .orElseThrow(() -> new AssertionError("none of " + check + ": " + findings));
  }

  static void assertHealthy(List<Finding> findings) {
    assertThat(findings).isNotEmpty().allMatch(finding -> finding.grade() == Grade.OK);
  }

  static List<Finding> about(String check, List<Finding> findings) {
    return findings.stream().filter(finding -> finding.check().equals(check)).toList();
  }
}

package io.weir.rules.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LimitIdsTest {
  private static EnvoyDescriptor step(String key, String value) {
    return new EnvoyDescriptor(
        key, value, Optional.empty(), EnvoyDescriptor.Traits.NONE, List.of());
  }

  @Test
  void readsLikeThePlace() {
    assertThat(new LimitIds().of("mongo", List.of(step("database", "users"), step("ip", ""))))
        .isEqualTo("mongo.database_users.ip");
  }

  @Test
  void neverReadsLikeAnother() {
    LimitIds ids = new LimitIds();
    String plain = ids.of("d", List.of(step("a_b", "")));
    String alike = ids.of("d", List.of(step("a", "b")));
    assertThat(plain).isEqualTo("d.a_b");
    assertThat(alike).startsWith("d.a_b-").hasSize(18);
    assertThat(ids.of("d", List.of(step("p", "/a"))))
        .isNotEqualTo(ids.of("d", List.of(step("p", "a"))));
    assertThat(ids.of("d", List.of(step("p", "/a")))).startsWith("d.p__a-");
  }

  @Test
  void staysWithinWhatNamesMayBe() {
    String id = new LimitIds().of("d\n{}:", List.of(step("k".repeat(100), "ü")));
    assertThat(id).matches("[A-Za-z0-9._-]{1,64}").startsWith("d____.k");
    assertThat(LimitIds.name("prefix:")).matches("prefix_-[0-9a-f]{12}");
    assertThat(LimitIds.name("prefix")).isEqualTo("prefix");
  }
}

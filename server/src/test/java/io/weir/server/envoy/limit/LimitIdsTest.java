package io.weir.server.envoy.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.envoy.EnvoyDescriptor;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LimitIdsTest {
  private static EnvoyDescriptor step(String key, String value) {
    return new EnvoyDescriptor(
        key, value, Optional.empty(), EnvoyDescriptor.DescriptorOptions.NONE, List.of());
  }

  @Test
  void idSpellsThePlaceOfTheLimit() {
    assertThat(new LimitIds().of("mongo", List.of(step("database", "users"), step("ip", ""))))
        .isEqualTo("mongo.database_users.ip");
  }

  @Test
  void idsAreUnique() {
    LimitIds ids = new LimitIds();
    String plain = ids.of("d", List.of(step("a_b", "")));
    String alike = ids.of("d", List.of(step("a", "b")));
    assertThat(plain).isEqualTo("d.a_b");
    assertThat(alike).startsWith("d.a_b-").hasSize(18);
    assertThat(ids.of("d", List.of(step("p", "~a"))))
        .isNotEqualTo(ids.of("d", List.of(step("p", "a"))));
    assertThat(ids.of("d", List.of(step("p", "~a")))).startsWith("d.p__a-");
  }

  /** Ids are metric labels, which must not contain addresses or paths. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "192.0.2.7",
        "192.0.2.7:8080",
        "10.0.0.0/8",
        "192.0.2.*",
        "10.*",
        "2001:db8::1",
        "::ffff:192.0.2.7",
        "2001:db8::/32",
        "2001:db8:*",
        "/",
        "/users/42",
        "/search*",
        "*/login",
        "/two\nlines",
        "192.0.2.7:*",
        "10.0.0.0/8*",
        "192.0.2.7, 10.0.0.1",
        "[2001:db8::1]",
        "fe80::1%eth0",
        "GET /users/private",
        "http://h/users/private",
        "\\\\share"
      })
  void hashesAddressesAndPaths(String value) {
    String id = new LimitIds().of("d", List.of(step("k", value), step("x", "y")));
    assertThat(id).matches("d\\.k_[0-9a-f]{12}\\.x_y");
    assertThat(id).isEqualTo(new LimitIds().of("d", List.of(step("k", value), step("x", "y"))));
    assertThat(id).isNotEqualTo(new LimitIds().of("d", List.of(step("k", value + "0"))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "1.2", "1.2.3", "eu-1", "example.com", "v1.2.3.4", "a:b", "x*"})
  void showsOtherValues(String value) {
    String id = new LimitIds().of("d", List.of(step("k", value)));
    assertThat(id).startsWith("d.k_" + value.replaceAll("[:*]", "_"));
  }

  @Test
  void addressAndItsHashHaveDifferentIds() {
    LimitIds ids = new LimitIds();
    String hashed = ids.of("d", List.of(step("ip", "192.0.2.7")));
    String hash = hashed.substring("d.ip_".length());
    assertThat(ids.of("d", List.of(step("ip", hash)))).isNotEqualTo(hashed);
    assertThat(hash).isEqualTo("37dad677cf0b");
  }

  @Test
  void idsAreValidNames() {
    String id = new LimitIds().of("d\n{}:", List.of(step("k".repeat(100), "ü")));
    assertThat(id).matches("[A-Za-z0-9._-]{1,64}").startsWith("d____.k");
    assertThat(LimitIds.name("prefix:")).matches("prefix_-[0-9a-f]{12}");
    assertThat(LimitIds.name("prefix")).isEqualTo("prefix");
  }
}

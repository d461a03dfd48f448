package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.envoy.EnvoyDomains;
import io.weir.rules.envoy.EnvoyOptions;
import io.weir.rules.envoy.EnvoyProblemsTest;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;

/**
 * For any mutation of a file, reading gives a configuration or problems with lines; it never
 * throws.
 */
@Tag("fuzz")
class EnvoyFileFuzzProperties {
  private static final String GOOD =
      """
      domain: mongo
      metadata: { a: &a { unit: minute, requests_per_unit: 7 } }
      descriptors:
        - key: database
          value: users
          shadow_mode: true
          rate_limit: *a
          descriptors:
            - key: ip
              rate_limit: { <<: *a, name: x, replaces: [{ name: y }] }
        - key: path
          value: "/a*"
          share_threshold: true
          quota_mode: yes
          rate_limit: { unit: week, requests_per_unit: 0x1F, unit_multiplier: 2, burst: 5 }
        - { key: free, rate_limit: { unlimited: true } }
      """;

  private static final List<String> SPLINTERS =
      List.of(
          ": ",
          "\n",
          "\n  ",
          "- ",
          "[",
          "]",
          "{",
          "}",
          ",",
          "\"",
          "'",
          "#",
          "&a ",
          "*a",
          "<<: ",
          "!!str ",
          "!x ",
          "? ",
          "| ",
          "---\n",
          "\t",
          "\0",
          "\uD800",
          "~",
          "null",
          "yes",
          "-1",
          "1e9",
          ".nan",
          "0x",
          "0b2",
          "08",
          "_",
          "99999999999999999999",
          "*",
          "unit",
          "key",
          "value",
          "domain: weir",
          "concurrency",
          "algorithm: quota",
          "unlimited: true");

  @Property
  void neverThrows(@ForAll long seed) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder(GOOD);
    for (int i = random.nextInt(6); i >= 0; i--) {
      int from = random.nextInt(text.length() + 1);
      int to = Math.min(text.length(), from + random.nextInt(12));
      String splinter = SPLINTERS.get(random.nextInt(SPLINTERS.size()));
      switch (random.nextInt(3)) {
        case 0 -> text.insert(from, splinter);
        case 1 -> text.replace(from, to, splinter);
        default -> text.delete(from, to);
      }
    }
    LoadResult<EnvoyDomains> loaded = EnvoyProblemsTest.read(EnvoyOptions.DEFAULT, text.toString());
    long lines = text.chars().filter(c -> c == '\n').count() + 1;
    assertThat(loaded.value().isPresent()).isEqualTo(loaded.isValid());
    assertThat(loaded.problems()).allMatch(problem -> problem.line() <= Math.max(1, lines));
  }
}

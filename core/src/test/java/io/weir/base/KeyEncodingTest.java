package io.weir.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class KeyEncodingTest {

  @Test
  void escapesSeparatorsAndControlCharacters() {
    assertThat(KeyEncoding.join("a:b", "{c}", "d%e\n\0"))
        .isEqualTo("a%003Ab:%007Bc%007D:d%0025e%000A%0000");
    assertThat(KeyEncoding.join("user@example.com", "/v1/x")).isEqualTo("user@example.com:/v1/x");
  }

  @Property
  void noTwoTuplesShareAText(
      @ForAll @Size(max = 3)
          List<@Chars({'a', ':', '%', '0', '3', 'A', '\0'}) @StringLength(max = 6) String> one,
      @ForAll @Size(max = 3)
          List<@Chars({'a', ':', '%', '0', '3', 'A', '\0'}) @StringLength(max = 6) String> two) {
    // A tuple of one empty part and the empty tuple print alike, but no rule has keys of both
    // sizes.
    if (!one.equals(two) && one.size() == two.size()) {
      assertThat(KeyEncoding.join(one.toArray(String[]::new)))
          .isNotEqualTo(KeyEncoding.join(two.toArray(String[]::new)));
    }
  }

  @Test
  void theFixedHashNeverChanges() {
    assertThat(KeyEncoding.hash("rule", List.of("user:42")))
        .isEqualTo(KeyEncoding.hash("rule", "user:42"));
    assertThat(KeyEncoding.hash("ip-default", "192.0.2.1")).isEqualTo(7241165509750114592L);
  }

  @Test
  void fingerprintsTellKeysApart() {
    String[] texts = {
      "",
      "a",
      "b",
      "ab",
      "ba",
      "a\0",
      "\0a",
      "aaaa",
      "aaaaa",
      "x".repeat(64),
      "x".repeat(128),
      "x".repeat(129),
      "x".repeat(65536),
      "é",
      "😀"
    };
    Set<Fingerprint> seen = new HashSet<>();
    for (String text : texts) {
      assertThat(seen.add(Fingerprint.of(text))).as(text).isTrue();
    }
    assertThat(Key.of("a", "b")).isNotEqualTo(Key.of("ab")).isNotEqualTo(Key.of("b", "a"));
    assertThat(Key.of("a", "b").low()).isNotEqualTo(Key.of("b", "a").low());
    assertThat(Key.of("a", "").low()).isNotEqualTo(Key.of("a").low());
  }

  @Test
  void fingerprintsSpreadEvenly() {
    int[] counts = new int[256];
    for (int i = 0; i < 100_000; i++) {
      counts[(int) (Fingerprint.of("user:" + i).high() >>> 56)]++;
    }
    assertThat(Arrays.stream(counts).max().orElseThrow()).isLessThan(600);
    assertThat(Arrays.stream(counts).min().orElseThrow()).isGreaterThan(200);
  }

  @Test
  void longKeysThatDifferInAnUnpairedSurrogateDiffer() {
    String same = "x".repeat(200);

    assertThat(Key.of(same + '\ud800').low()).isNotEqualTo(Key.of(same + '\ud801').low());
  }
}

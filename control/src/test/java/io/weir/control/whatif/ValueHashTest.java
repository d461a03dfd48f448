package io.weir.control.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ValueHashTest {
  /** Vectors of the SipHash-2-4 reference for the key 00 01 … 0f and the text 00 01 … */
  @Test
  void isSipHashOfTheCharacters() {
    ValueHash hash = new ValueHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);

    assertThat(hash.of("")).isEqualTo(0x726fdb47dd0e0e31L);
    assertThat(hash.of(bytes(2))).isEqualTo(0x0d6c8009d9a94f5aL);
    assertThat(hash.of(bytes(8))).isEqualTo(0x93f5f5799a932462L);
  }

  private static String bytes(int count) {
    byte[] bytes = new byte[count];
    IntStream.range(0, count).forEach(i -> bytes[i] = (byte) i);
    return new String(bytes, StandardCharsets.UTF_16LE);
  }

  @Test
  void aPartHashesLikeATextOfItsOwn() {
    ValueHash hash = ValueHash.of(new byte[] {1});

    assertThat(hash.of("/v1/payments", 4, 12)).isEqualTo(hash.of("payments"));
    assertThat(hash.of("payments")).isNotEqualTo(hash.of("payment"));
  }

  @Test
  void anotherSecretGivesOtherWordsAndAnotherSample() {
    ValueHash one = ValueHash.of(new byte[] {1});
    ValueHash other = ValueHash.of(new byte[] {2});

    assertThat(one.of("42")).isNotEqualTo(other.of("42"));
    assertThat(one.position("42")).isNotEqualTo(other.position("42"));
  }

  @Test
  void positionsOfCallersAreSpreadEvenly() {
    long sampled =
        IntStream.range(0, 100_000)
            .filter(i -> RecordedCall.isSampled(RecordedTraffic.HASH.position("user-" + i), 3))
            .count();

    assertThat(sampled).isBetween(12_100L, 12_900L);
  }
}

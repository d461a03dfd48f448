package io.weir.control.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Call;
import io.weir.control.store.RecordingStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RecordingCodecTest {
  @Property(tries = 200)
  void readsWhatItWrote(@ForAll @IntRange(max = 300) int calls, @ForAll long seed)
      throws RecordingFormatException {
    Recording recording = randomRecording(calls, new Random(seed));

    Recording read = RecordingCodec.decode(RecordingCodec.encode(recording, 1 << 20));

    assertThat(read.level()).isEqualTo(recording.level());
    assertThat(read.completeSince()).isEqualTo(recording.completeSince());
    assertThat(read.skipped()).isEqualTo(recording.skipped());
    assertThat(read.calls())
        .usingElementComparator(RecordingCodecTest::compare)
        .containsExactlyElementsOf(recording.calls());
  }

  private static int compare(RecordedCall a, RecordedCall b) {
    boolean same =
        a.at() == b.at()
            && a.caller() == b.caller()
            && a.position() == b.position()
            && a.shape().equals(b.shape())
            && Arrays.equals(a.words(), b.words())
            && a.cost() == b.cost()
            && a.outcome() == b.outcome();
    return same ? 0 : 1;
  }

  private static Recording randomRecording(int calls, Random random) {
    RecordedTraffic traffic = new RecordedTraffic();
    for (int i = 0; i < calls; i++) {
      Call call =
          Call.of(random.nextBoolean() ? "GET" : "POST", "/v1/" + random.nextInt(5))
              .host("h" + random.nextInt(3) + ".example.com")
              .with("user", "u" + random.nextInt(20))
              .with(random.nextBoolean() ? "ip" : "tenant", "v" + random.nextInt(9))
              .cost(random.nextInt(1000));
      if (random.nextInt(10) == 0) {
        traffic.bypassed(call);
      } else {
        traffic.call(call);
      }
      traffic.time.advanceMicros(random.nextInt(5_000_000));
    }
    Recording made = traffic.recording();
    return new Recording(0, Math.abs(random.nextLong() >> 2), random.nextInt(9), made.calls());
  }

  @Property(tries = 2000)
  void randomBytesAreRefused(@ForAll @Size(max = 200) byte[] bytes) {
    assertThat(decodes(bytes)).isFalse();
  }

  /** Whatever is changed: the result is a recording of about that size, or a refusal. */
  @Property(tries = 500)
  void changedBytesAreReadOrRefused(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] bytes = RecordingCodec.encode(randomRecording(40, random), 1 << 20);
    for (int i = 0; i < 1 + random.nextInt(4); i++) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    byte[] cut = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));

    decodes(bytes);
    assertThat(cut.length == bytes.length || !decodes(cut)).isTrue();
  }

  private static boolean decodes(byte[] bytes) {
    try {
      assertThat(RecordingCodec.decode(bytes).size()).isLessThanOrEqualTo(bytes.length);
      return true;
    } catch (RecordingFormatException e) {
      return false;
    }
  }

  @Test
  void claimsOfManyItemsTakeNoMemory() {
    ByteWriter claims = new ByteWriter();
    claims.number('W').number('R').number(1).number(0).number(0).number(0);
    claims.number(Integer.MAX_VALUE);

    assertThatThrownBy(() -> RecordingCodec.decode(claims.bytes()))
        .isInstanceOf(RecordingFormatException.class)
        .hasMessage("more items than bytes");
  }

  @Test
  void anotherVersionIsNamed() {
    byte[] bytes = new ByteWriter().number('W').number('R').number(2).bytes();

    assertThatThrownBy(() -> RecordingCodec.decode(bytes)).hasMessage("a recording of version 2");
  }

  @Test
  void aFullRingFitsIntoOneRow() throws RecordingFormatException {
    RecordedTraffic traffic = new RecordedTraffic();
    Random random = new Random(1);
    for (int i = 0; i < 50_000; i++) {
      traffic.call(
          Call.of("GET", "/v1/items/" + random.nextInt(2000))
              .host("api.example.com")
              .with("user", "u" + random.nextInt(3000))
              .with("tenant", "t" + random.nextInt(100))
              .with("ip", "192.0.2." + random.nextInt(3000)));
      traffic.time.advance(Duration.ofMillis(15));
    }
    Recording recording = traffic.recording();
    byte[] bytes = RecordingCodec.encode(recording, RecordingStore.MAX_BYTES);

    assertThat(recording.size()).isEqualTo(50_000);
    assertThat(RecordingCodec.decode(bytes).size()).isEqualTo(50_000);
    assertThat(bytes.length).isLessThan(RecordingStore.MAX_BYTES);
  }

  @Test
  void whatDoesNotFitIsLeftOutByCallers() throws RecordingFormatException {
    Recording recording = new RecordedTraffic().users(500, 6, Duration.ofMinutes(2)).recording();
    byte[] bytes = RecordingCodec.encode(recording, 20_000);
    Recording read = RecordingCodec.decode(bytes);

    assertThat(bytes.length).isLessThanOrEqualTo(20_000);
    assertThat(read.level()).isPositive();
    assertThat(read.size()).isEqualTo(recording.atLevel(read.level()).size()).isPositive();
    assertThat(RecordingCodec.decode(RecordingCodec.encode(recording, 20)).calls()).isEmpty();
  }

  @Test
  void mergesInTimeOrderAtTheSmallestShare() {
    Recording calm = new RecordedTraffic().users(100, 6, Duration.ofMinutes(1)).recording();
    RecordedTraffic small =
        new RecordedTraffic(new RecordingSettings(300, 1 << 20))
            .users(200, 6, Duration.ofMinutes(1));
    Recording busy = small.recording();
    assertThat(busy.level()).isPositive();
    RecordingMerge merge = new RecordingMerge();
    merge.add(calm);
    merge.add(busy);
    Recording merged = merge.merged();

    assertThat(merged.level()).isEqualTo(busy.level());
    assertThat(merged.completeSince()).isEqualTo(busy.completeSince());
    assertThat(merged.calls()).isSortedAccordingTo((a, b) -> Long.compare(a.at(), b.at()));
    assertThat(merged.calls()).allMatch(call -> call.at() >= merged.completeSince());
    assertThat(merged.size()).isGreaterThanOrEqualTo(busy.size());
  }

  @Test
  void aMergeIsBounded() {
    RecordingMerge merge = new RecordingMerge(1000);
    Recording recording = new RecordedTraffic().users(100, 6, Duration.ofMinutes(1)).recording();
    for (int i = 0; i < 5; i++) {
      merge.add(recording);
    }

    assertThat(merge.merged().size()).isBetween(1, 1000);
    assertThat(merge.merged().level()).isEqualTo(2);
    assertThat(List.of(recording.level())).containsExactly(0);
  }
}

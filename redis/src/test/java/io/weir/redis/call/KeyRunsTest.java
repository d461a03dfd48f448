package io.weir.redis.call;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.script.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class KeyRunsTest {
  private static PendingCall call(String key) {
    byte[][] keys = {key.getBytes(US_ASCII)};
    return new PendingCall(
        NodeHealthFixture.quiet("node"),
        CallPurpose.USE,
        Script.TAKE_ONE_BUCKET,
        keys,
        new byte[0],
        System.nanoTime());
  }

  private static String order(List<PendingCall> calls) {
    return calls.stream()
        .map(call -> new String(call.keys()[0], US_ASCII))
        .collect(Collectors.joining(" "));
  }

  @Test
  void equalKeysBecomeAdjacent() {
    List<PendingCall> calls = new ArrayList<>();
    for (String key : "a b a c b a d".split(" ")) {
      calls.add(call(key));
    }

    KeyRuns.ofEqualKeys(calls);

    assertThat(order(calls)).isEqualTo("a a a b b c d");
  }

  @Test
  void keysWithEqualPrefixAreNotEqual() {
    List<PendingCall> calls = new ArrayList<>();
    for (String rule : List.of("one", "two", "one")) {
      calls.add(call("weir:1:{AAAAAAAAAAAAAAAAAAAAAA}:" + rule + ":T1"));
    }

    KeyRuns.ofEqualKeys(calls);

    assertThat(order(calls)).matches("\\S+:one:T1 \\S+:one:T1 \\S+:two:T1");
  }

  /** Calls to one key keep their order, none is lost, and all calls to one key are adjacent. */
  @Property
  void anyCallsAreGroupedByKeyInOrder(
      @ForAll @Size(max = 40) List<@IntRange(max = 8) Integer> numbers) {
    List<PendingCall> before = new ArrayList<>();
    numbers.forEach(number -> before.add(call("weir:1:{0000000" + number + "}:rule:T1")));
    List<PendingCall> after = new ArrayList<>(before);

    KeyRuns.ofEqualKeys(after);

    assertThat(after).containsExactlyInAnyOrderElementsOf(before);
    List<String> met = new ArrayList<>();
    for (int i = 0; i < after.size(); i++) {
      String key = new String(after.get(i).keys()[0], US_ASCII);
      if (met.isEmpty() || !met.get(met.size() - 1).equals(key)) {
        assertThat(met).doesNotContain(key);
        met.add(key);
      } else {
        assertThat(before.indexOf(after.get(i - 1))).isLessThan(before.indexOf(after.get(i)));
      }
    }
  }
}

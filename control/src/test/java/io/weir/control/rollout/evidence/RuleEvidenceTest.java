package io.weir.control.rollout.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.control.store.SampleStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RuleEvidenceTest {
  private static RuleEvidence evidence(List<KeyCounts> keys) {
    return new RuleEvidence(3, false, 7, RuleEvidence.ALL_KEYS, List.of(), keys);
  }

  /** Keys with random hashes, in order. */
  private static List<KeyCounts> keys(int count, long calls, long old, long fresh) {
    Random random = new Random(count);
    TreeSet<Long> hashes = new TreeSet<>();
    while (hashes.size() < count) {
      hashes.add(KeyCounts.shortHash(random.nextLong()));
    }
    return hashes.stream().map(it -> new KeyCounts(it, calls, old, fresh)).toList();
  }

  @Test
  void readsWhatItWrote() {
    List<KeyCounts> keys =
        List.of(
            new KeyCounts(0, 1, 0, 0),
            new KeyCounts(1, 62, 0, 62),
            new KeyCounts(1000, 63, 63, 0),
            new KeyCounts(RuleEvidence.ALL_KEYS - 1, 1L << 40, 1L << 33, 5));
    RuleEvidence evidence = new RuleEvidence(3, true, 31, 1L << 39, List.of(0L, 1L, 1000L), keys);

    assertThat(RuleEvidence.decode(evidence.encode())).isEqualTo(evidence);
  }

  @Test
  void holdsTheSampleOfABusyInstanceWithoutLoss() {
    RuleEvidence calm = evidence(keys(1024, 20, 0, 0));
    String text = calm.encode();

    assertThat(text.length()).isLessThanOrEqualTo(SampleStore.MAX_BYTES);
    assertThat(RuleEvidence.decode(text)).isEqualTo(calm);
  }

  @Test
  void leavesOutTheLargestHashesAndSaysFromWhere() {
    RuleEvidence stormy = evidence(keys(3000, 5000, 4000, 4900));
    String text = stormy.encode();

    assertThat(text.length()).isLessThanOrEqualTo(SampleStore.MAX_BYTES);
    RuleEvidence read = RuleEvidence.decode(text);
    assertThat(read.keys().size()).isBetween(550, 2999);
    assertThat(read.keys()).isEqualTo(stormy.keys().subList(0, read.keys().size()));
    assertThat(read.below()).isEqualTo(stormy.keys().get(read.keys().size()).hash());
  }

  @Test
  void refusesDamagedText() {
    String text = evidence(keys(10, 1, 0, 1)).encode();

    assertThatThrownBy(() -> RuleEvidence.decode(text.substring(0, text.length() - 8)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RuleEvidence.decode("not base64!"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RuleEvidence.decode("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RuleEvidence.decode("CAAA"))
        .hasMessage("evidence of an unknown format");
    assertThatThrownBy(() -> RuleEvidence.decode("AQAAAf///////////wE"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anyTextIsReadOrRefused() {
    Random random = new Random(7);
    byte[] bytes = evidence(keys(20, 70, 1, 1)).encode().getBytes();
    for (int i = 0; i < 5000; i++) {
      byte[] damaged = bytes.clone();
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(128);
      try {
        RuleEvidence.decode(new String(damaged));
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageNotContaining("null");
      }
    }
  }

  @Test
  void sumsRefusalsOfAKeyOverInstancesBeforeJudging() {
    RuleEvidence one = evidence(List.of(new KeyCounts(5, 10, 4, 0), new KeyCounts(9, 1, 0, 0)));
    RuleEvidence two = evidence(List.of(new KeyCounts(5, 10, 0, 4)));

    RuleTotals totals = RuleTotals.sum("api", 3, List.of(one, two));

    assertThat(totals.keys())
        .containsExactly(new KeyCounts(5, 20, 4, 4), new KeyCounts(9, 1, 0, 0));
    assertThat(totals.newlyRefusedKeys()).isZero();
    assertThat(totals.newlyRefusedCalls()).isZero();
    assertThat(totals.keysRefusedByOld()).isEqualTo(1);
    assertThat(totals.calls()).isEqualTo(21);
  }

  @Test
  void judgesOnlyKeysThatEveryInstanceReportsInFull() {
    RuleEvidence all = evidence(List.of(new KeyCounts(5, 1, 0, 0), new KeyCounts(50, 1, 0, 1)));
    RuleEvidence some =
        new RuleEvidence(3, false, 1, 50, List.of(), List.of(new KeyCounts(7, 1, 0, 0)));

    assertThat(RuleTotals.sum("api", 3, List.of(all, some)).keys())
        .extracting(KeyCounts::hash)
        .containsExactly(5L, 7L);
  }

  @Test
  void keysOfAnotherStepAreNotOfThisOne() {
    RuleEvidence late = new RuleEvidence(1, false, 1, 50, List.of(1L, 2L), List.of());
    RuleEvidence now = new RuleEvidence(2, true, 1, 50, List.of(3L), List.of());

    RuleTotals totals = RuleTotals.sum("api", 2, List.of(late, now));

    assertThat(totals.stepKeys()).containsExactly(3L);
    assertThat(totals.warming()).isTrue();
  }

  @Test
  void theWindowForgetsAfterSixtySeconds() {
    EvidenceWindow window = new EvidenceWindow();
    long key = 0xabcdef0123456789L;
    window.add(key, 3, 1, 2);
    window.sampledBelow(0x8000000000000000L);
    for (int slot = 1; slot < 12; slot++) {
      window.endSlot();
      assertThat(window.evidence(false, 1).keys())
          .containsExactly(new KeyCounts(0xabcdef0123L, 3, 1, 2));
      assertThat(window.evidence(false, 1).below()).isEqualTo(0x8000000000L);
    }
    window.endSlot();

    RuleEvidence after = window.evidence(false, 1);
    assertThat(after.keys()).isEmpty();
    assertThat(after.below()).isEqualTo(RuleEvidence.ALL_KEYS);
    assertThat(after.stepKeys()).containsExactly(0xabcdef0123L);
  }

  @Test
  void theWindowKeepsTenKeysOfTheStep() {
    EvidenceWindow window = new EvidenceWindow();
    for (long key = 20; key > 0; key--) {
      window.add(key << 24, 1, 0, 0);
    }
    window.add(999L << 24, 0, 0, 0);
    assertThat(window.evidence(false, 1).stepKeys())
        .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);

    window.enter(1);
    assertThat(window.evidence(false, 1).stepKeys()).isEmpty();
    assertThat(window.evidence(false, 1).step()).isEqualTo(1);
    assertThat(window.evidence(false, 1).keys()).hasSize(20);
    assertThat(window.evidence(true, 1).keys()).isEmpty();
  }

  @Test
  void sendsTheTwentyBusiestRules() {
    Map<String, RuleEvidence> rules = new TreeMap<>();
    List<String> busy = new ArrayList<>();
    for (int i = 10; i < 40; i++) {
      rules.put("r" + i, evidence(keys(1, i, 0, 0)));
      if (i >= 20) {
        busy.add("r" + i);
      }
    }

    assertThat(RuleEvidence.busiest(rules).keySet()).containsExactlyElementsOf(busy);
  }

  @Test
  void aKeyIsNewlyRefusedByWhatBothVersionsRefusedInTheWindow() {
    assertThat(new KeyCounts(0, 100, 0, 1).isNewlyRefused()).isTrue();
    assertThat(new KeyCounts(0, 100, 1, 11).isNewlyRefused()).isFalse();
    assertThat(new KeyCounts(0, 100, 1, 12).isNewlyRefused()).isTrue();
    assertThat(new KeyCounts(0, 100, 50, 40).isNewlyRefused()).isFalse();
    assertThat(new KeyCounts(0, 100, 0, 0).isNewlyRefused()).isFalse();
  }
}

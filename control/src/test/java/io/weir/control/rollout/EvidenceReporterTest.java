package io.weir.control.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.ControlStores;
import io.weir.control.database.DatabaseSettings;
import io.weir.control.rollout.EvidenceReporter.RuleWindow;
import io.weir.control.rollout.evidence.KeyCounts;
import io.weir.control.rollout.evidence.RuleEvidence;
import io.weir.control.store.Sample;
import io.weir.time.VirtualTime;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvidenceReporterTest {
  private static final long ROLLOUT = 4;

  @TempDir Path folder;

  private ControlStores stores;
  private EvidenceReporter reporter;

  @BeforeEach
  void open() {
    stores =
        ControlStores.open(
            new DatabaseSettings.Embedded(folder.resolve("control"), "this test"),
            new VirtualTime(),
            folder.resolve("key"),
            "a");
    reporter = new EvidenceReporter(stores.samples(), "a");
  }

  @AfterEach
  void close() {
    stores.close();
  }

  private static RuleWindow window(String rule, long calls, long... hashes) {
    List<KeyCounts> keys =
        LongStream.of(hashes).mapToObj(it -> new KeyCounts(it, calls, 0, 1)).toList();
    return new RuleWindow(rule, false, RuleEvidence.ALL_KEYS, keys);
  }

  private List<Sample> sent() {
    return stores.samples().since(ROLLOUT, Instant.EPOCH);
  }

  private RuleEvidence only() {
    assertThat(sent()).hasSize(1);
    return RuleEvidence.decode(sent().get(0).body());
  }

  @Test
  void sendsTheWindowAndTheKeysOfTheWholeStep() {
    reporter.report(ROLLOUT, 1, List.of(window("api", 3, 5, 9)));
    reporter.report(ROLLOUT, 1, List.of(window("api", 3, 7)));

    assertThat(only().keys()).containsExactly(new KeyCounts(7, 3, 0, 1));
    assertThat(only().stepKeys()).containsExactly(5L, 7L, 9L);
    assertThat(only().step()).isEqualTo(1);

    reporter.report(ROLLOUT, 2, List.of(window("api", 3, 8)));
    assertThat(only().stepKeys()).containsExactly(8L);
  }

  @Test
  void sendsTheBusiestRulesAndSaysHowManyDiffer() {
    List<RuleWindow> rules = new ArrayList<>();
    for (int i = 10; i < 35; i++) {
      rules.add(window("r" + i, i, 1));
    }
    reporter.report(ROLLOUT, 0, rules);

    assertThat(sent()).extracting(Sample::rule).hasSize(20).contains("r34").doesNotContain("r14");
    assertThat(RuleEvidence.decode(sent().get(0).body()).changedRules()).isEqualTo(25);
  }

  @Test
  void reportsAlsoIfNoRuleDiffers() {
    reporter.report(ROLLOUT, 0, List.of());

    assertThat(sent().get(0).rule()).isEqualTo(RuleEvidence.NO_RULE);
    assertThat(only()).isEqualTo(RuleEvidence.noRuleDiffers(0));
  }
}

package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Weir;
import io.weir.time.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules that change on disk change a running limiter, and keys keep their usage. */
class RuleReloadingTest {
  private static final Call CALL = Call.of("GET", "/").with("ip", "192.0.2.1");

  @TempDir private Path folder;

  private static String rules(int limit) {
    return "version: 1\nrules: [{ id: r, key: [ip], limit: " + limit + "/min }]\n";
  }

  @Test
  void keysKeepTheirStateWhenNumbersChange() throws IOException {
    Path file = Files.writeString(folder.resolve("rules.yaml"), rules(5));
    RuleFile rules = RuleFile.at(file);
    try (Weir weir =
        Weir.builder().rules(rules.load().value().orElseThrow()).time(new VirtualTime()).build()) {
      for (int i = 0; i < 5; i++) {
        assertThat(weir.check(CALL).allowed()).isTrue();
      }
      assertThat(weir.check(CALL).allowed()).isFalse();

      Files.writeString(file, rules(7));
      rules.poll().flatMap(LoadResult::value).ifPresent(weir::replaceRules);
      assertThat(weir.check(CALL).allowed()).as("raised: two more").isTrue();
      assertThat(weir.check(CALL).allowed()).isTrue();
      assertThat(weir.check(CALL).allowed()).isFalse();

      Files.writeString(file, "version: 1\nrules: 7\n");
      rules.poll().flatMap(LoadResult::value).ifPresent(weir::replaceRules);
      rules.poll().flatMap(LoadResult::value).ifPresent(weir::replaceRules);
      assertThat(weir.check(CALL).allowed()).as("invalid: the rules in force stay").isFalse();
    }
  }
}

package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.read.BypassReader;
import io.weir.rules.read.LimitReader;
import io.weir.rules.read.RuleReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of the user documentation are valid. */
class RuleDocumentationTest {
  private static final Pattern EXAMPLE = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

  private final String page;

  RuleDocumentationTest() throws IOException {
    page = Files.readString(Path.of("../docs/use/rules.md"));
  }

  @Test
  void examplesAreValidWithoutAWarning() {
    Matcher example = EXAMPLE.matcher(page);
    int examples = 0;
    for (; example.find(); examples++) {
      assertThat(RuleDocumentFixtures.problems(example.group(1))).as(example.group(1)).isEmpty();
    }
    assertThat(examples).isGreaterThanOrEqualTo(5);
  }

  @Test
  void everyFieldIsDocumented() {
    assertThat(RuleReader.FIELDS).allSatisfy(field -> assertThat(page).contains("`" + field + "`"));
    assertThat(LimitReader.FIELDS)
        .allSatisfy(field -> assertThat(page).contains("`" + field + "`"));
    assertThat(BypassReader.FIELDS).allSatisfy(field -> assertThat(page).contains(field + ":"));
  }
}

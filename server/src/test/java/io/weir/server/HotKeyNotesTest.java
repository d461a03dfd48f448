package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.weir.Call;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.ForwardingStore;
import io.weir.store.MemoryStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class HotKeyNotesTest {
  private final VirtualTime time = new VirtualTime();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(HotKeyNotes.class);

  /** A store that is not the one in this process. */
  private static final class Elsewhere extends ForwardingStore {
    Elsewhere(VirtualTime time) {
      super(MemoryStore.builder().time(time).build());
    }
  }

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
    logger.setAdditive(false);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(log);
    logger.setAdditive(true);
  }

  /** So many calls in two seconds by one user, and the notes on them. */
  private HotKeyNotes after(int calls, Accuracy accuracy) {
    Rule rule =
        Rule.named("partner")
            .key("user")
            .limit(Limit.perSecond(1_000_000))
            .accuracy(accuracy)
            .build();
    Weir weir =
        Weir.builder().rules(RuleSet.of(rule)).time(time).store(new Elsewhere(time)).build();
    time.advance(Duration.ofSeconds(2));
    for (int i = 0; i < calls; i++) {
      weir.check(Call.of("GET", "/").with("user", "somebody"));
    }
    HotKeyNotes notes = new HotKeyNotes(weir.tier().orElseThrow().hotKeys());
    notes.look();
    return notes;
  }

  @Test
  void saysOnceWhatWouldHelpAKeyThatIsAlwaysAskedInTheStoreAndNotWhichItIs() {
    HotKeyNotes notes = after(20_000, Accuracy.EXACT);
    notes.look();

    assertThat(notes.count()).isEqualTo(1);
    assertThat(log.list).hasSize(1);
    assertThat(log.list.get(0).getFormattedMessage())
        .startsWith("rule partner: one key is asked for about ")
        .endsWith("an accuracy such as 1% would answer most of them from memory")
        .doesNotContain("somebody");
  }

  @Test
  void countsButDoesNotMindAKeyThatIsAnsweredFromLeases() {
    assertThat(after(20_000, Accuracy.DEFAULT).count()).isEqualTo(1);
    assertThat(log.list).isEmpty();
  }

  @Test
  void aKeyThatComesNowAndThenIsNotHot() {
    assertThat(after(200, Accuracy.EXACT).count()).isZero();
    assertThat(log.list).isEmpty();
  }
}

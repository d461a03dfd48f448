package io.weir.control.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.ControlStores;
import io.weir.control.audit.Origin;
import io.weir.control.database.DatabaseSettings;
import io.weir.control.store.Tenant;
import io.weir.time.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The follower on the embedded database, in virtual time. */
class FollowerTest {
  private static final Origin ALICE = Origin.process("alice", "why");

  @TempDir Path folder;

  private final VirtualTime time = new VirtualTime();
  private final RecordingListener listener = new RecordingListener();
  private ControlStores stores;
  private StateCache cache;
  private Follower follower;
  private double jitter = 0.5;

  @BeforeEach
  void open() {
    stores =
        ControlStores.open(
            new DatabaseSettings.Embedded(folder.resolve("control"), "this test"),
            time,
            folder.resolve("audit.key"),
            "a");
    cache = new StateCache(folder.resolve("control.state"));
    follower = newFollower();
  }

  private Follower newFollower() {
    ChangeFeed feed = new ChangeFeed(stores.database());
    return new Follower(feed, cache, listener, time, Runnable::run, () -> jitter);
  }

  @AfterEach
  void close() {
    follower.close();
    stores.close();
  }

  @Test
  void aChangeOfThisProcessArrivesAtOnce() {
    follower.start(Optional.empty(), stores.changes()::onCommit);
    assertThat(listener.updates).hasSize(1).first().isInstanceOf(FeedUpdate.Snapshot.class);

    put("acme");

    assertThat(listener.updates).hasSize(2);
    assertThat(((FeedUpdate.Delta) listener.updates.get(1)).tenants()).hasSize(1);
  }

  @Test
  void aLostSignalIsFoundByThePoll() {
    follower.start(Optional.empty());
    put("acme");
    assertThat(listener.updates).hasSize(1);

    time.advance(Duration.ofMillis(4999));
    assertThat(listener.updates).hasSize(1);
    time.advance(Duration.ofMillis(1));

    assertThat(listener.updates).hasSize(2);
  }

  @Test
  void pollsComeEveryFiveSecondsPlusOrMinusAFifth() {
    jitter = 0;
    follower.start(Optional.empty());
    int start = listener.reads.get();
    jitter = 1;
    time.advance(Duration.ofSeconds(4));
    assertThat(listener.reads).hasValue(start + 1);
    time.advance(Duration.ofMillis(5999));
    assertThat(listener.reads).hasValue(start + 1);
    time.advance(Duration.ofMillis(1));
    assertThat(listener.reads).hasValue(start + 2);
  }

  @Test
  void aChangeThatCannotBeAppliedComesAgain() {
    follower.start(Optional.empty(), stores.changes()::onCommit);
    listener.failing = true;
    put("acme");
    assertThat(listener.updates).hasSize(1);

    listener.failing = false;
    time.advance(Duration.ofSeconds(5));

    assertThat(listener.updates).hasSize(2);
  }

  @Test
  void anUnreachableDatabaseIsReportedAndReadAgain() {
    follower.start(Optional.empty());
    stores.close();
    time.advance(Duration.ofSeconds(10));
    assertThat(listener.unavailable).hasValue(2);
  }

  @Test
  void theCacheIsWrittenOneSecondAfterAChangeAndStartsTheNextRun() {
    follower.start(Optional.empty(), stores.changes()::onCommit);
    put("acme");
    assertThat(cache.load()).isEmpty();
    time.advance(Duration.ofSeconds(1));
    FeedUpdate.Snapshot cached = cache.load().orElseThrow();
    assertThat(cached.tenants()).containsExactly(new Tenant("acme", "free"));
    put("later");
    follower.close();
    assertThat(cache.load().orElseThrow().tenants()).hasSize(2);

    put("while stopped");
    listener.updates.clear();
    follower = newFollower();
    follower.start(cache.load());

    assertThat(listener.updates).hasSize(1);
    assertThat(((FeedUpdate.Delta) listener.updates.get(0)).tenants()).hasSize(1);
  }

  @Test
  void aRefusedLogIsTakenOnceAPersonAcceptsItHere() {
    put("acme");
    follower.start(Optional.empty());
    stores
        .database()
        .write(sql -> sql.update("update audit set hash = '" + "e".repeat(64) + "' where seq = 2"));
    put("other");
    time.advance(Duration.ofSeconds(5));
    assertThat(listener.updates.get(1)).isInstanceOf(FeedUpdate.Refused.class);

    follower.acceptLog("0".repeat(64));
    assertThat(listener.updates.get(2)).isInstanceOf(FeedUpdate.Refused.class);
    follower.acceptLog(stores.audit().head().hash());

    assertThat(listener.updates.get(3)).isInstanceOf(FeedUpdate.Snapshot.class);
    put("third");
    time.advance(Duration.ofSeconds(5));
    assertThat(listener.updates.get(4)).isInstanceOf(FeedUpdate.Delta.class);
  }

  @Test
  void aClosedFollowerReadsNoMore() {
    follower.start(Optional.empty(), stores.changes()::onCommit);
    follower.close();
    int reads = listener.reads.get();
    put("acme");
    time.advance(Duration.ofSeconds(20));
    assertThat(listener.reads).hasValue(reads);
  }

  private void put(String tenant) {
    stores.tenants().put(List.of(new Tenant(tenant, "free")), ALICE);
  }
}

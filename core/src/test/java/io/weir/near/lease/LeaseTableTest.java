package io.weir.near.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.store.Pool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class LeaseTableTest {
  private final LeaseTable table = new LeaseTable(1000);
  private final Pool pool = pool("a");

  private static Pool pool(String rule) {
    return new Pool(rule, rule, "1", Limit.perSecond(100), false).withLeaseCap(50);
  }

  private Lease add(Pool pool, Key key) {
    table.findOrNote(pool, key, 0);
    return table.findOrNote(pool, key, 0);
  }

  @Test
  void firstCallOfKeyGetsNoLease() {
    assertThat(table.findOrNote(pool, Key.of("once"), 0)).isNull();
    assertThat(table.find(pool, Key.of("once"))).isNull();
    assertThat(table.size()).isZero();
  }

  @Test
  void secondCallOfKeyGetsLease() {
    Lease lease = add(pool, Key.of("again"));

    assertThat(lease).isNotNull();
    assertThat(table.find(pool, Key.of("again"))).isSameAs(lease);
    assertThat(table.findOrNote(pool, Key.of("again"), 0)).isSameAs(lease);
  }

  /** One pair of rules in some thousands shares its miss entries, for any key. */
  @Test
  void rulesOnOneKeyDoNotBlockEachOthersLease() {
    Key key = Key.of("somebody");
    for (int i = 0; i < 20_000; i++) {
      Pool other = pool("rule-" + i);
      LeaseTable fresh = new LeaseTable(10);
      fresh.findOrNote(pool, key, 0);
      fresh.findOrNote(other, key, 0);

      assertThat(fresh.findOrNote(pool, key, 0)).as(other.rule()).isNotNull();
      assertThat(fresh.findOrNote(other, key, 0)).as(other.rule()).isNotNull();
    }
  }

  @Test
  void lookupDoesNotWaitForRemoval() {
    ExecutorService caller = Executors.newSingleThreadExecutor();
    Key key = Key.of("new");
    add(pool, Key.of("known"));
    table.findOrNote(pool, key, 0);
    table.removeIf(
        lease -> {
          Future<Lease> found = caller.submit(() -> table.findOrNote(pool, key, 0));
          assertThat(found).succeedsWithin(Duration.ofSeconds(30)).isNull();
          return false;
        });
    caller.shutdown();

    assertThat(table.findOrNote(pool, key, 0)).isNotNull();
  }

  @Test
  void distinguishesPools() {
    Lease one = add(pool, Key.of("k"));
    Lease other = add(pool("a"), Key.of("k"));

    assertThat(other).isNotNull().isNotSameAs(one);
  }

  @Test
  void holdsAndFindsUpToCapacity() {
    List<Lease> added = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      added.add(add(pool, Key.of("user-" + i)));
    }
    assertThat(added).doesNotContainNull().doesNotHaveDuplicates();
    assertThat(add(pool, Key.of("one more"))).isNull();
    for (int i = 0; i < 1000; i++) {
      assertThat(table.find(pool, Key.of("user-" + i))).isSameAs(added.get(i));
    }
  }

  @Test
  void removalMakesRoom() {
    for (int i = 0; i < 1000; i++) {
      add(pool, Key.of("user-" + i));
    }

    List<Lease> removed = table.removeIf(lease -> !lease.key.equals(Key.of("user-7")));

    assertThat(removed).hasSize(999);
    assertThat(table.all()).extracting(lease -> lease.key).containsExactly(Key.of("user-7"));
    assertThat(table.find(pool, Key.of("user-8"))).isNull();
    assertThat(add(pool, Key.of("one more"))).isNotNull();
  }

  @Test
  void concurrentThreadsGetSameLease() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<List<Lease>>> found = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        found.add(
            threads.submit(
                () -> {
                  List<Lease> mine = new ArrayList<>();
                  for (int i = 0; i < 900; i++) {
                    Key key = Key.of("user-" + i);
                    Lease lease = add(pool, key);
                    while (lease == null) { // another miss came in between
                      lease = add(pool, key);
                    }
                    mine.add(lease);
                  }
                  return mine;
                }));
      }
      List<Lease> first = found.get(0).get();
      for (Future<List<Lease>> other : found) {
        assertThat(other.get()).isEqualTo(first);
      }
      assertThat(table.size()).isEqualTo(900);
    } finally {
      threads.shutdownNow();
    }
  }
}

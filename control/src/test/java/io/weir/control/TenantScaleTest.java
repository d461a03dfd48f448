package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.audit.Origin;
import io.weir.control.database.DatabaseSettings;
import io.weir.control.feed.ChangeFeed;
import io.weir.control.feed.ControlState;
import io.weir.control.feed.FeedUpdate;
import io.weir.control.feed.StateCache;
import io.weir.control.store.Tenant;
import io.weir.time.SystemTime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many tenants: 10,000, or 1,000,000 with {@code -Dweir.proof=true}; 500 change at once. */
@Tag("process")
class TenantScaleTest {
  private static final Origin ALICE = Origin.process("alice", "import");
  private static final int TENANTS = Boolean.getBoolean("weir.proof") ? 1_000_000 : 10_000;
  private static final int CHANGED = 500;
  private static final int BYTES_PER_TENANT = 400;

  @TempDir Path folder;

  @Test
  void onPostgres() {
    load("PostgreSQL", SharedPostgres.freshDatabase());
  }

  @Test
  void onH2() {
    load("H2", new DatabaseSettings.Embedded(folder.resolve("control"), "this test"));
  }

  private void load(String name, DatabaseSettings settings) {
    Path key = folder.resolve("audit.key");
    try (ControlStores stores = ControlStores.open(settings, SystemTime.INSTANCE, key, "a")) {
      long start = System.nanoTime();
      stores.tenants().put(tenants(TENANTS, "free"), ALICE);
      long imported = System.nanoTime();
      long heapBefore = usedHeap();
      ControlState state = new ControlState();
      ChangeFeed feed = new ChangeFeed(stores.database());
      long beforeRead = System.nanoTime();
      state.apply((FeedUpdate.Snapshot) feed.read(Optional.empty()));
      long read = System.nanoTime();
      long heap = usedHeap() - heapBefore;

      stores.tenants().put(tenants(CHANGED, "standard"), ALICE);
      long changed = System.nanoTime();
      FeedUpdate.Delta delta = (FeedUpdate.Delta) feed.read(state.position());
      state.apply(delta);
      long applied = System.nanoTime();
      StateCache cache = new StateCache(folder.resolve("state"));
      cache.save(state.snapshot().orElseThrow());
      long saved = System.nanoTime();

      System.out.printf(
          "%s, %,d tenants: import %,d ms, snapshot %,d ms, %,d bytes each in memory;"
              + " delta of %d: %,d ms; cache written in %,d ms%n",
          name,
          TENANTS,
          millis(start, imported),
          millis(beforeRead, read),
          heap / TENANTS,
          CHANGED,
          millis(changed, applied),
          millis(applied, saved));
      assertThat(delta.tenants()).hasSize(CHANGED);
      assertThat(heap / TENANTS).isLessThan(BYTES_PER_TENANT);
      assertThat(cache.load().orElseThrow().tenants()).hasSize(TENANTS);
      assertThat(stores.tenants().countByTier())
          .containsEntry("standard", (long) CHANGED)
          .containsEntry("free", (long) TENANTS - CHANGED);
    }
  }

  private static List<Tenant> tenants(int count, String tier) {
    return new ArrayList<>(
        IntStream.range(0, count).mapToObj(i -> new Tenant("tenant-" + i, tier)).toList());
  }

  private static long millis(long from, long to) {
    return (to - from) / 1_000_000;
  }

  private static long usedHeap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}

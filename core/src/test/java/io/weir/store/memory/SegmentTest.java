package io.weir.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.limit.LimitState;
import io.weir.store.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SegmentTest {
  private static final long SECOND = 1_000_000;

  private final MeterIds meterIds = new MeterIds();
  private final TableShares shares = new TableShares(10_000);
  private final Segment segment =
      new Segment(0, 10_000, meterIds, new PackedTime(0), new TableUsage(1 << 20, 0), shares);
  private final PoolBinding brief = binding("brief", "1/s");
  private final PoolBinding lasting = binding("lasting", "1/day");

  private PoolBinding binding(String rule, String limit) {
    Pool pool = new Pool(rule, rule, "1", Limit.parse(limit), false);
    return PoolBinding.of(meterIds, shares.of(rule), pool.meter(), pool.saltHigh(), pool.saltLow());
  }

  private void add(PoolBinding binding, long high, long low) {
    LimitState state = new LimitState();
    binding.meter().open(state, 0, 0);
    binding.meter().take(state, 0, 1, 0);
    segment.insert(binding.high(high), low, binding, state, 0, 0);
  }

  private int find(PoolBinding binding, long high, long low) {
    return segment.find(binding.high(high), low);
  }

  @Test
  void distinguishesKeysWithSameHomeAndTag() {
    for (long i = 1; i <= 20; i++) {
      add(lasting, i << 20, i << 8);
    }

    List<Integer> slots = new ArrayList<>();
    for (long i = 1; i <= 20; i++) {
      slots.add(find(lasting, i << 20, i << 8));
    }
    assertThat(slots).doesNotHaveDuplicates().allMatch(slot -> slot >= 0);
    assertThat(find(lasting, 21 << 20, 21 << 8)).isNegative();
  }

  @Test
  void distinguishesKeysThatShareAHalf() {
    add(lasting, 1 << 20, 7);
    add(lasting, 2 << 20, 7);
    add(lasting, 1 << 20, 8);

    assertThat(find(lasting, 1 << 20, 7)).isNotNegative();
    assertThat(find(lasting, 2 << 20, 7)).isNotNegative();
    assertThat(find(lasting, 1 << 20, 8)).isNotNegative();
    assertThat(find(lasting, 2 << 20, 8)).isNegative();
    assertThat(find(lasting, 3 << 20, 7)).isNegative();
  }

  @Test
  void findsKeysAfterRemovalOfNeighbours() {
    Random random = new Random(7);
    long[] lows = random.longs(2000).toArray();
    for (int i = 0; i < lows.length; i++) {
      add(i % 2 == 0 ? brief : lasting, (long) i << 20, lows[i]);
    }

    assertThat(segment.evictSome(10_000, 2 * SECOND, 2 * SECOND)).isTrue();

    assertKept(lows);
    segment.sweep(2 * SECOND, 2 * SECOND);
    assertKept(lows);
    for (int i = 0; i < lows.length; i += 2) {
      add(brief, (long) i << 20, lows[i]);
    }
    for (int i = 0; i < lows.length; i++) {
      assertThat(find(i % 2 == 0 ? brief : lasting, (long) i << 20, lows[i])).isNotNegative();
    }
  }

  private void assertKept(long[] lows) {
    for (int i = 0; i < lows.length; i++) {
      PoolBinding binding = i % 2 == 0 ? brief : lasting;
      assertThat(find(binding, (long) i << 20, lows[i]) >= 0).as("key %s", i).isEqualTo(i % 2 != 0);
    }
  }
}

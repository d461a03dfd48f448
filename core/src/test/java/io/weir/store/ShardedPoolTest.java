package io.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.limit.LeaseCap;
import io.weir.limit.LimitDivision;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ShardedPoolTest {
  private static Pool pool(String limit, int shards) {
    return new Pool("rule", "rule", "1", Limit.parse(limit), false)
        .withDimension("user")
        .withLeaseCap(20)
        .sharded(LimitDivision.of(Limit.parse(limit), shards), part -> LeaseCap.of(part, 100_000));
  }

  @Test
  void shardsAreCreatedOnce() {
    ShardedPool split = pool("80/s", 8).shardedPool();
    for (int i = 0; i < 8; i++) {
      assertThat(split.shard(i)).isSameAs(split.shard(i));
      assertThat(split.shard(i).shard()).isEqualTo(i);
      assertThat(split.shard(i).shardedPool()).isSameAs(split);
      assertThat(split.shard(i).subject()).isEqualTo("user");
    }
  }

  @Test
  void bucketsDifferByShardAndShardCount() {
    Set<Long> buckets = new HashSet<>();
    buckets.add(pool("80/s", 8).low(Key.of("42")));
    for (int shards : new int[] {8, 16}) {
      for (int i = 0; i < shards; i++) {
        buckets.add(pool("80/s", shards).shardedPool().shard(i).low(Key.of("42")));
      }
    }
    assertThat(buckets).hasSize(1 + 8 + 16);
  }

  @Test
  void shardHasItsPartOfLimitAndLeaseCap() {
    Pool shard = pool("80/s", 8).shardedPool().shard(3);

    assertThat(shard.meter().limit()).isEqualTo(Limit.perSecond(10));
    assertThat(shard.leaseCap()).isEqualTo(LeaseCap.of(Limit.perSecond(10), 100_000)).isEqualTo(5);
  }

  @Test
  void otherShardDiffersFromFirst() {
    ShardedPool split = pool("80/s", 8).shardedPool();
    for (int first = 0; first < 8; first++) {
      Set<Integer> others = new HashSet<>();
      for (int random = -20; random < 20; random++) {
        others.add(split.other(split.pick(1, first), 1, random).shard());
      }
      assertThat(others).hasSize(7).doesNotContain(first);
    }
  }

  @Test
  void largeAmountsGoToShardsThatHoldThem() {
    ShardedPool split = pool("10/s", 4).shardedPool();
    Set<Integer> picked = new HashSet<>();
    for (int random = 0; random < 20; random++) {
      Pool pick = split.pick(3, random);
      picked.add(pick.shard());
      picked.add(split.other(pick, 3, random).shard());
    }
    assertThat(picked).containsExactlyInAnyOrder(0, 1);
    assertThat(split.hasOther(3)).isTrue();
    assertThat(split.hasOther(4)).isFalse();
    assertThat(pool("9/s", 4).shardedPool().hasOther(3)).isFalse();
  }

  @Test
  void shardIsFoundByItsSlot() {
    Pool pool = pool("80/s", 8);
    for (int i = 0; i < 8; i++) {
      Pool shard = pool.shardedPool().shard(i);
      assertThat(pool.find(shard.slot())).containsSame(shard);
      assertThat(shard.wholeSlot()).isEqualTo("t1");
    }
    assertThat(pool.find("t1")).isEmpty();
    assertThat(pool.find("t1#8/8")).isEmpty();
    assertThat(pool.find("t1#3/16")).isEmpty();
    assertThat(pool.find("t11#3/8")).isEmpty();
    assertThat(pool.find("t1#03/8")).isEmpty();
    Pool plain = new Pool("rule", "rule", "1", Limit.perSecond(80), false);
    assertThat(plain.find("t1")).containsSame(plain);
    assertThat(plain.find("t1#3/8")).isEmpty();
  }
}

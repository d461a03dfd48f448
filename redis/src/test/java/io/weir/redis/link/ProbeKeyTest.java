package io.weir.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProbeKeyTest {
  private final ProbeKey own = new ProbeKey();

  private static RedisClusterNode serving(Integer... slots) {
    RedisClusterNode node = new RedisClusterNode();
    node.setSlots(List.of(slots));
    return node;
  }

  @Test
  void isInASlotOfTheNodeEvenIfItServesOnlyOne() {
    for (int slot : List.of(0, 4711, 16_383)) {
      byte[][] keys = own.keys(serving(slot));
      assertThat(keys.length).isEqualTo(1);
      assertThat(SlotHash.getSlot(keys[0])).isEqualTo(slot);
    }
  }

  @Test
  void isKeptWhileTheNodeServesIt() {
    byte[][] first = own.keys(serving(1, 2));
    int slot = SlotHash.getSlot(first[0]);

    assertThat(own.keys(serving(1, 2))).isSameAs(first);
    assertThat(own.keys(serving(slot, 77))).isSameAs(first);
    byte[][] next = own.keys(serving(77));
    assertThat(SlotHash.getSlot(next[0])).isEqualTo(77);
  }

  @Test
  void isAnyKeyIfTheNodeServesNoSlot() {
    assertThat(own.keys(null).length).isEqualTo(1);
    assertThat(own.keys(serving()).length).isEqualTo(1);
  }
}

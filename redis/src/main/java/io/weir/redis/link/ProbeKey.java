package io.weir.redis.link;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.weir.redis.script.HealthProbe;
import org.jspecify.annotations.Nullable;

/**
 * The key by which one node of a Cluster is asked whether it works: one that it serves. To find one
 * takes thousands of hashes where a node serves few slots, so it is kept for as long as the node
 * serves it.
 */
final class ProbeKey {
  private byte[][] keys = HealthProbe.keys();
  private int slot = SlotHash.getSlot(keys[0]);

  /** The keys of a check of this node; any, if it is not known or serves nothing. */
  synchronized byte[][] keys(@Nullable RedisClusterNode node) {
    if (node != null && !node.hasSlot(slot) && !node.getSlots().isEmpty()) {
      keys = HealthProbe.keys(node::hasSlot, SlotHash::getSlot);
      slot = SlotHash.getSlot(keys[0]);
    }
    return keys;
  }
}

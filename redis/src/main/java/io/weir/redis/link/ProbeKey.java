package io.weir.redis.link;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.weir.redis.script.HealthProbe;
import org.jspecify.annotations.Nullable;

/**
 * The key used to probe one node of a Cluster, in a slot that the node serves. If a node serves few
 * slots, it takes thousands of hashes to find one, so the key is kept for as long as the node
 * serves it.
 */
final class ProbeKey {
  private byte[][] keys = HealthProbe.keys();
  private int slot = SlotHash.getSlot(keys[0]);

  /** The keys of a probe of this node; any, if the node is not known or serves no slot. */
  synchronized byte[][] keys(@Nullable RedisClusterNode node) {
    if (node != null && !node.hasSlot(slot) && !node.getSlots().isEmpty()) {
      keys = HealthProbe.keys(node::hasSlot, SlotHash::getSlot);
      slot = SlotHash.getSlot(keys[0]);
    }
    return keys;
  }
}

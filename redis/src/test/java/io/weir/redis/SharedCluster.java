package io.weir.redis;

import io.weir.testkit.process.RedisCluster;

/**
 * One Redis Cluster for all test classes, since forming one takes seconds. Whoever does something
 * to it makes it whole again; it ends with the JVM.
 */
final class SharedCluster {
  private static final class Holder {
    static final RedisCluster CLUSTER = RedisCluster.start();
  }

  private SharedCluster() {}

  static RedisCluster get() {
    return Holder.CLUSTER;
  }
}

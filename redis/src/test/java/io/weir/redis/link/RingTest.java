package io.weir.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.script.KeyNames;
import io.weir.store.Pool;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RingTest {
  private static final int KEYS = 50_000;

  private static final byte[][] NAMES = names();

  private static byte[][] names() {
    KeyNames names = new KeyNames(new byte[0]);
    Pool pool = RedisStores.plenty("rule").withDimension("user");
    byte[][] all = new byte[KEYS][];
    for (int i = 0; i < KEYS; i++) {
      all[i] = names.bucket(pool, Key.of("user-" + i));
    }
    return all;
  }

  private static List<String> nodes(int count) {
    List<String> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nodes.add("redis-" + i + ".example:6379");
    }
    return nodes;
  }

  private static String nodeOf(List<String> nodes, Ring ring, byte[] key) {
    return nodes.get(ring.nodeOf(key));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8, 9, 10})
  void sharesAreEqualWithinTenPercent(int count) {
    Ring ring = new Ring(nodes(count));
    int[] shares = new int[count];
    for (byte[] name : NAMES) {
      shares[ring.nodeOf(name)]++;
    }
    double fair = (double) KEYS / count;
    for (int share : shares) {
      assertThat(share / fair).isBetween(0.9, 1.1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 9})
  void newNodeTakesItsShareAndNothingElseMoves(int count) {
    List<String> before = nodes(count);
    List<String> after = nodes(count + 1);
    Ring old = new Ring(before);
    Ring grown = new Ring(after);
    int moved = 0;
    for (byte[] name : NAMES) {
      String home = nodeOf(after, grown, name);
      if (!home.equals(nodeOf(before, old, name))) {
        assertThat(home).as("moves only to the new node").isEqualTo(after.get(count));
        moved++;
      }
    }
    assertThat(moved * (count + 1.0) / KEYS).isBetween(0.9, 1.1);
  }

  @Test
  void orderOfNodesDoesNotMatter() {
    List<String> nodes = nodes(7);
    Ring ring = new Ring(nodes);
    List<String> shuffled = new ArrayList<>(nodes);
    Collections.shuffle(shuffled, new Random(1));
    Ring other = new Ring(shuffled);
    for (byte[] name : NAMES) {
      assertThat(nodeOf(shuffled, other, name)).isEqualTo(nodeOf(nodes, ring, name));
    }
  }

  @Test
  void keysOfOneUserAreOnOneNode() {
    KeyNames names = new KeyNames(new byte[0]);
    Ring ring = new Ring(nodes(5));
    for (int i = 0; i < 1000; i++) {
      Key user = Key.of("user-" + i);
      Key route = Key.of("user-" + i, "/a");
      int home = ring.nodeOf(names.bucket(RedisStores.plenty("one").withDimension("user"), user));
      byte[] other = names.bucket(RedisStores.plenty("other").withDimension("user"), route);
      assertThat(ring.nodeOf(other)).isEqualTo(home);
      assertThat(ring.nodeOf(names.markers(List.of(other), i).get(0))).isEqualTo(home);
    }
  }

  @Test
  void placementIsFixedForAllInstancesAndVersions() {
    // If this changed, every key would be searched on another node after an upgrade.
    List<String> nodes = nodes(10);
    Ring ring = new Ring(nodes);
    List<Integer> homes = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      String name = "weir:1:{" + "abcdefghijklmnopqrstuv".substring(i) + "}:rule:t1";
      homes.add(ring.nodeOf(name.getBytes(StandardCharsets.US_ASCII)));
    }
    assertThat(homes).containsExactly(8, 7, 6, 7, 3, 9, 6, 1, 0, 8, 4, 8);
  }
}

package io.weir.bench.redis;

import java.util.List;

/**
 * The address of a Redis.
 *
 * @param cluster whether it is a Cluster
 * @param addresses every node as {@code host:port}
 */
record RedisEndpoint(boolean cluster, List<String> addresses) {
  List<String> uris() {
    return addresses.stream().map(address -> "redis://" + address).toList();
  }

  String print() {
    return cluster + "," + String.join(",", addresses);
  }

  static RedisEndpoint parse(String text) {
    List<String> words = List.of(text.split(","));
    return new RedisEndpoint(Boolean.parseBoolean(words.get(0)), words.subList(1, words.size()));
  }
}

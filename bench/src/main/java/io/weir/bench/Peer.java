package io.weir.bench;

import java.util.EnumSet;
import java.util.Set;

/** Who is compared. */
public enum Peer {
  FLOOR("floor: map + nanoTime + CAS"),
  WEIR("**Weir**, key as text"),
  WEIR_HASHED("**Weir**, `Key` reused"),
  GUAVA("Guava"),
  RESILIENCE4J("Resilience4j"),
  BUCKET4J("Bucket4j"),
  SENTINEL("Sentinel");

  /** All that one could use instead. */
  static final Set<Peer> OTHERS = EnumSet.range(GUAVA, SENTINEL);

  final String title;

  Peer(String title) {
    this.title = title;
  }

  /**
   * The limiter, ready for use.
   *
   * @param keys how many there will be
   * @param requests the key of every request of the run
   */
  Subject make(Allowance allowance, int keys, Requests requests) {
    return switch (this) {
      case FLOOR -> new Floor(allowance);
      case WEIR -> new WeirKeyed(allowance, keys);
      case WEIR_HASHED -> new WeirHashed(allowance, keys, requests);
      case GUAVA -> new GuavaPeer(allowance);
      case RESILIENCE4J -> new Resilience4jPeer(allowance);
      case BUCKET4J -> new Bucket4jPeer(allowance);
      case SENTINEL -> new SentinelPeer(allowance, requests.texts()[0]);
    };
  }
}

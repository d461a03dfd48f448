package io.weir.bench.keyed;

import io.weir.bench.run.Allowance;
import java.util.EnumSet;
import java.util.Set;

/** The limiters that are compared. */
public enum KeyedSubjectKind {
  FLOOR("floor: map + nanoTime + CAS"),
  WEIR("**Weir**, key as text"),
  WEIR_HASHED("**Weir**, `Key` reused"),
  GUAVA("Guava"),
  RESILIENCE4J("Resilience4j"),
  BUCKET4J("Bucket4j"),
  SENTINEL("Sentinel");

  /** The alternatives to Weir. */
  static final Set<KeyedSubjectKind> OTHERS = EnumSet.range(GUAVA, SENTINEL);

  public final String title;

  KeyedSubjectKind(String title) {
    this.title = title;
  }

  /**
   * The limiter, ready for use.
   *
   * @param keys number of keys
   * @param requests the key of every request of the run
   */
  Subject make(Allowance allowance, int keys, RequestSequence requests) {
    return switch (this) {
      case FLOOR -> new Baseline(allowance);
      case WEIR -> new WeirKeyedSubject(allowance, keys);
      case WEIR_HASHED -> new WeirHashedSubject(allowance, keys, requests);
      case GUAVA -> new GuavaSubject(allowance);
      case RESILIENCE4J -> new Resilience4jSubject(allowance);
      case BUCKET4J -> new Bucket4jSubject(allowance);
      case SENTINEL -> new SentinelSubject(allowance, requests.texts()[0]);
    };
  }
}

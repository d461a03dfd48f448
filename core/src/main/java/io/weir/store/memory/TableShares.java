package io.weir.store.memory;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Divides the capacity of the memory table among rules, so that a flood of keys under one rule
 * leaves room for the keys of the others.
 *
 * <pre>
 *   M keys:  │ share 1 │ share 2 │ … │ share R │            common            │
 *             └──────── a quarter of M ───────┘  └─ first come, first served ─┘
 * </pre>
 *
 * <p>With R rules, each has a share of M ÷ 4R keys that no other rule can take. A rule with more
 * keys than its share borrows from the common part; while that is used up, its new keys go to
 * overflow buckets. A single rule has the whole table. A rule that borrows keeps its keys, as they
 * may be limited: only room that becomes free is granted again.
 *
 * <p>A slot of the table carries the number of its rule in the lowest {@value #TAG_BITS} bits of
 * its fingerprint, of which 112 bits remain: a million keys collide with a probability of
 * 10<sup>-22</sup>. The lowest bit marks overflow buckets, which count for no share.
 *
 * <p>Removed rules without keys release their numbers to new rules, the longest removed first. So
 * rules may be replaced any number of times.
 *
 * <p>Sums are exact while the rules stay the same. A change of rules under load may leave them off
 * by a few keys until the next {@link #recompute}.
 */
final class TableShares {
  private static final Logger LOG = LoggerFactory.getLogger(TableShares.class);
  private static final int TAG_BITS = 16;
  private static final long TAG = (1L << TAG_BITS) - 1;
  private static final long OVERFLOW_BIT = 1;

  /** Rules beyond this many share the last number. */
  private static final int MAX_RULES = 1 << (TAG_BITS - 1);

  /** Up to this many removed rules without keys keep their shares. */
  private static final int MAX_REMOVED = 1024;

  private static final int KEPT_PART = 4;
  private static final long LOG_EVERY_MICROS = 60_000_000;

  private final long maxKeys;
  private final ConcurrentHashMap<String, RuleKeyCount> byRule = new ConcurrentHashMap<>();
  private final AtomicReferenceArray<RuleKeyCount> byNumber = new AtomicReferenceArray<>(MAX_RULES);
  private int numbers;

  /** Shares released by removed rules. */
  private final Deque<RuleKeyCount> free = new ArrayDeque<>();

  /** The number of rule changes. */
  private long changes;

  private final AtomicLong keys = new AtomicLong();
  private final AtomicLong overflowBuckets = new AtomicLong();

  /** All keys of rules beyond their shares. */
  private final AtomicLong borrowed = new AtomicLong();

  private volatile long share;
  private volatile long common;
  private volatile boolean divided;

  /** A rule that found no room and is to be named in the log. */
  private volatile @Nullable RuleKeyCount fullRule;

  private volatile long nextLogAt = Long.MIN_VALUE;

  TableShares(long maxKeys) {
    this.maxKeys = maxKeys;
    this.share = maxKeys;
  }

  // ---- fingerprints

  /** The upper half of a fingerprint, with the rule's number in it. */
  static long tagged(long high, RuleKeyCount share) {
    return untagged(high) | (long) share.number << 1;
  }

  /** The same without its lowest bits, to make room for a number. */
  static long untagged(long high) {
    return high & ~TAG;
  }

  /** The same for an overflow bucket. */
  static long overflow(long tagged) {
    return tagged | OVERFLOW_BIT;
  }

  // ---- rules

  /** The share of a rule, created if unknown. */
  RuleKeyCount of(String rule) {
    RuleKeyCount known = byRule.get(rule);
    return known != null ? known : add(rule);
  }

  private synchronized RuleKeyCount add(String rule) {
    RuleKeyCount added = numbered(rule);
    count(added);
    return added;
  }

  private RuleKeyCount numbered(String rule) {
    RuleKeyCount known = byRule.get(rule);
    if (known == null && !free.isEmpty()) {
      known = free.remove();
      known.rule = rule;
      known.usedAt = changes;
      byRule.put(rule, known);
    }
    if (known == null) {
      int number = Math.min(numbers, MAX_RULES - 1);
      RuleKeyCount last = numbers < MAX_RULES ? null : byNumber.get(number);
      known = last == null ? new RuleKeyCount(rule, number) : last;
      known.usedAt = changes;
      byNumber.set(number, known);
      byRule.put(rule, known);
      numbers = Math.min(numbers + 1, MAX_RULES);
    }
    return known;
  }

  private synchronized void count(RuleKeyCount share) {
    if (!share.counted) {
      share.counted = true;
      recompute();
    }
  }

  /** Reserves shares for these rules from now on, and for others only while they have keys. */
  synchronized void reserveShares(Collection<String> rules) {
    Set<String> expected = Set.copyOf(rules);
    changes++;
    expected.forEach(this::numbered);
    for (int i = 0; i < numbers; i++) {
      RuleKeyCount each = byNumber.get(i);
      each.counted = expected.contains(each.rule) || each.keys.get() > 0;
      if (each.counted) {
        each.usedAt = changes;
      }
    }
    forget(expected);
    recompute();
  }

  /**
   * Releases the shares of the longest removed rules. A share keeps its number and its count, as a
   * call in flight may still add a key to it.
   */
  private void forget(Set<String> expected) {
    byRule
        .entrySet()
        .removeIf(entry -> isCommon(entry.getValue()) && !expected.contains(entry.getKey()));
    List<RuleKeyCount> gone =
        byRule.values().stream()
            .filter(share -> !share.counted && !isCommon(share))
            .sorted(Comparator.comparingLong(share -> share.usedAt))
            .toList();
    for (RuleKeyCount share : gone.subList(0, Math.max(0, gone.size() - MAX_REMOVED))) {
      byRule.remove(share.rule);
      share.rule = "";
      free.add(share);
    }
  }

  /** Whether a share may belong to several rules. */
  private static boolean isCommon(RuleKeyCount share) {
    return share.number == MAX_RULES - 1;
  }

  /** Computes shares and the borrowed keys from the keys of every rule. */
  synchronized void recompute() {
    int counted = 0;
    for (int i = 0; i < numbers; i++) {
      counted += byNumber.get(i).counted ? 1 : 0;
    }
    long each = counted <= 1 ? maxKeys : maxKeys / KEPT_PART / counted;
    long over = 0;
    for (int i = 0; i < numbers; i++) {
      over += Math.max(0, byNumber.get(i).keys.get() - each);
    }
    divided = counted > 1;
    share = each;
    common = maxKeys - Math.max(1, counted) * each;
    borrowed.set(over);
  }

  // ---- keys

  /** Whether one more key of this rule may have its own bucket. */
  boolean hasRoomFor(RuleKeyCount rule) {
    return keys.get() < maxKeys && (rule.keys.get() < share || borrowed.get() < common);
  }

  /** Whether a rule has fewer keys than its reserved share, if there are several rules. */
  boolean isWithinShare(RuleKeyCount rule) {
    return divided && rule.keys.get() < share;
  }

  /** Whether the table is divided among several rules. */
  boolean areDivided() {
    return divided;
  }

  /** A slot was filled. */
  void added(RuleKeyCount rule, long high) {
    if ((high & OVERFLOW_BIT) != 0) {
      overflowBuckets.incrementAndGet();
      return;
    }
    keys.incrementAndGet();
    if (rule.keys.incrementAndGet() > share) {
      borrowed.incrementAndGet();
    }
    if (!rule.counted) {
      count(rule);
    }
  }

  /** A slot was freed. */
  void removed(long high) {
    if ((high & OVERFLOW_BIT) != 0) {
      overflowBuckets.decrementAndGet();
      return;
    }
    keys.decrementAndGet();
    if (byNumber.get((int) (high & TAG) >>> 1).keys.getAndDecrement() > share) {
      borrowed.decrementAndGet();
    }
  }

  /** The number of used slots, overflow buckets included. */
  long keys() {
    return keys.get() + overflowBuckets.get();
  }

  // ---- log

  /**
   * Records that a rule found no room. Returns whether {@link #logNoRoom} is due; it is to be
   * called when no lock is held.
   */
  boolean onNoRoom(RuleKeyCount rule, long now) {
    if (fullRule != null || now < nextLogAt) {
      return false;
    }
    fullRule = rule;
    return true;
  }

  /** Logs that a rule found no room. Called during a sweep, so by one thread at a time. */
  void logNoRoom(long now) {
    RuleKeyCount rule = fullRule;
    if (rule == null) {
      return;
    }
    nextLogAt = now + LOG_EVERY_MICROS;
    fullRule = null;
    LOG.warn(
        "the memory table has no room for new keys of rule {}, which holds {} of {} keys: they"
            + " share {} buckets until keys become idle; raise store.memory.max_keys, or, if"
            + " clients invent the keys, key the rule by an attribute that they cannot choose",
        rule.rule,
        rule.keys.get(),
        maxKeys,
        MemoryStore.OVERFLOW);
  }
}

package io.weir.redis.script;

import io.weir.Key;
import io.weir.KeyEncoding;
import io.weir.store.Pool;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Names of keys in Redis: {@code weir:1:{tag}:rule:limit[:rest][:shard]}.
 *
 * <p>The tag is a 128-bit hash of the rule's leading dimension and its value, so that all rules
 * about one user live in one slot; the rest of a key is hashed in the same way. No value can be
 * read from a name or break out of it. With a secret the hash is keyed, and nobody can choose the
 * slot of a value either. Where a bucket is split, which of how many shards it is goes into the tag
 * too, so that shards lie apart, and other shards are other keys.
 */
public final class KeyNames {
  /** The layout of keys and values; a new one starts with fresh keys. */
  private static final String PREFIX = "weir:1:{";

  /** Where the tag begins. */
  public static final int TAG_AT = PREFIX.length();

  private static final int HASH_BYTES = 16;

  /** A power of two: with a name in every place it is some 7 MB. */
  private static final int LATELY = 1 << 16;

  private final byte[] secret;

  /** Names of buckets that were asked for lately, where the key's fingerprint says. */
  private final @Nullable CachedName[] lately = new CachedName[LATELY];

  private record CachedName(Pool pool, long high, long low, byte[] name) {
    boolean isOf(Pool other, Key key) {
      return pool == other && low == key.low() && high == key.high();
    }
  }

  public KeyNames(byte[] secret) {
    this.secret = secret.clone();
  }

  /** The name of a bucket's key, not to be changed. To make it is a fifth of what a call costs. */
  public byte[] bucket(Pool pool, Key key) {
    int place = (int) (key.low() + 31L * System.identityHashCode(pool)) & (LATELY - 1);
    CachedName known = lately[place];
    if (known == null || !known.isOf(pool, key)) {
      known = new CachedName(pool, key.high(), key.low(), make(pool, key));
      lately[place] = known;
    }
    return known.name;
  }

  private byte[] make(Pool pool, Key key) {
    List<String> parts = key.parts();
    StringBuilder name = new StringBuilder(80);
    name.append(PREFIX).append(tag(pool, parts)).append("}:");
    name.append(pool.rule()).append(':').append(pool.wholeSlot());
    if (parts.size() > 1) {
      String[] rest = parts.subList(1, parts.size()).toArray(String[]::new);
      name.append(':').append(hash(KeyEncoding.join(rest)));
    }
    if (pool.shard() >= 0) {
      name.append(':').append(pool.shard());
    }
    return name.toString().getBytes(StandardCharsets.US_ASCII);
  }

  /** The rule whose bucket has this name. */
  public static String ruleOf(String name) {
    int begin = name.indexOf('}') + 2;
    int end = name.indexOf(':', begin);
    return end < 0 ? "" : name.substring(begin, end);
  }

  /**
   * The names of the keys that mark a reservation as settled: one for each tag of its buckets, in
   * their slot, so that any of the buckets leads to one.
   */
  public List<byte[]> markers(List<byte[]> buckets, long reservation) {
    String mark = ":settled:" + Long.toHexString(reservation);
    return buckets.stream()
        .map(bucket -> new String(bucket, StandardCharsets.US_ASCII))
        .map(name -> name.substring(0, name.indexOf('}') + 1))
        .distinct()
        .map(tag -> (tag + mark).getBytes(StandardCharsets.US_ASCII))
        .toList();
  }

  private String tag(Pool pool, List<String> parts) {
    if (parts.isEmpty()) {
      return hash("rule:" + pool.rule() + pool.shardMark());
    }
    // A key that lacks its leading part is about whatever stands in for it.
    return parts.get(0).isEmpty()
        ? hash(about(pool, KeyEncoding.join(parts.toArray(String[]::new))))
        : hash(about(pool, KeyEncoding.join(parts.get(0))));
  }

  /** No value holds the mark of a shard, as it would be escaped. */
  private static String about(Pool pool, String value) {
    return pool.subject() + ":" + value + pool.shardMark();
  }

  private String hash(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      byte[] digest;
      if (secret.length == 0) {
        digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      } else {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret, "HmacSHA256"));
        digest = mac.doFinal(bytes);
      }
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(Arrays.copyOf(digest, HASH_BYTES));
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}

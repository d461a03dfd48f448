package io.weir.redis.script;

import io.weir.Key;
import io.weir.base.KeyEncoding;
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
 * about one user live in one slot. The rest of a key is hashed in the same way. No value can be
 * read from a name or break out of it. With a secret the hash is keyed, and clients cannot choose
 * the slot of a value either. If a bucket is sharded, the shard number and the number of shards are
 * part of the tag too, so that shards spread over slots, and another number of shards means other
 * keys.
 */
public final class KeyNames {
  /** The version of the layout of keys and values; a new one starts with fresh keys. */
  private static final String PREFIX = "weir:1:{";

  /** Where the tag begins. */
  public static final int TAG_AT = PREFIX.length();

  private static final int HASH_BYTES = 16;

  /** A power of two. A full cache takes about 7 MB. */
  private static final int CACHE_SIZE = 1 << 16;

  private final byte[] secret;

  /** Cache of recent bucket names, indexed by the key's fingerprint. */
  private final @Nullable CachedName[] cache = new CachedName[CACHE_SIZE];

  private record CachedName(Pool pool, long high, long low, byte[] name) {
    boolean isOf(Pool other, Key key) {
      return pool == other && low == key.low() && high == key.high();
    }
  }

  public KeyNames(byte[] secret) {
    this.secret = secret.clone();
  }

  /**
   * The name of a bucket's key, which must not be modified. Computing it takes a fifth of the cost
   * of a call, hence the cache.
   */
  public byte[] bucket(Pool pool, Key key) {
    int index = (int) (key.low() + 31L * System.identityHashCode(pool)) & (CACHE_SIZE - 1);
    CachedName cached = cache[index];
    if (cached == null || !cached.isOf(pool, key)) {
      cached = new CachedName(pool, key.high(), key.low(), compute(pool, key));
      cache[index] = cached;
    }
    return cached.name;
  }

  private byte[] compute(Pool pool, Key key) {
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

  /** The rule of the bucket with this name. */
  public static String ruleOf(String name) {
    int begin = name.indexOf('}') + 2;
    int end = name.indexOf(':', begin);
    return end < 0 ? "" : name.substring(begin, end);
  }

  /**
   * The names of the keys that mark a reservation as settled: one for each tag of its buckets, in
   * the same slot, so that each of the buckets leads to one.
   */
  public List<byte[]> markers(List<byte[]> buckets, long reservation) {
    String suffix = ":settled:" + Long.toHexString(reservation);
    return buckets.stream()
        .map(bucket -> new String(bucket, StandardCharsets.US_ASCII))
        .map(name -> name.substring(0, name.indexOf('}') + 1))
        .distinct()
        .map(tag -> (tag + suffix).getBytes(StandardCharsets.US_ASCII))
        .toList();
  }

  private String tag(Pool pool, List<String> parts) {
    if (parts.isEmpty()) {
      return hash("rule:" + pool.rule() + pool.shardMark());
    }
    // A key without its leading part is tagged by all its parts, which then contain the
    // substitute.
    return parts.get(0).isEmpty()
        ? hash(tagText(pool, KeyEncoding.join(parts.toArray(String[]::new))))
        : hash(tagText(pool, KeyEncoding.join(parts.get(0))));
  }

  /** The text to hash for a tag. A value cannot contain the shard mark, as it would be escaped. */
  private static String tagText(Pool pool, String value) {
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

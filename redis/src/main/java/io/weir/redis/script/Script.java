package io.weir.redis.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The scripts, from the resources beside this class. Their text is constant; they are called by
 * digest.
 */
public enum Script {
  /** Decides calls with one draw from a token or leaky bucket. */
  TAKE_ONE_BUCKET(true, "take_one_bucket.lua"),
  /** Decides calls with several draws, all from token or leaky buckets. */
  TAKE_BUCKETS(true, "take_buckets.lua"),
  /** Decides any call. */
  TAKE(true, "algorithms.lua", "take.lua"),
  /** Settles, releases, renews, refunds and gives back. */
  SETTLE(false, "algorithms.lua", "settle.lua"),
  /** Tests whether a node could serve calls. */
  PROBE(false, "check.lua");

  private final boolean shared;
  private final byte[] text;
  private final String digest;

  Script(boolean shared, String... files) {
    this.shared = shared;
    StringBuilder joined = new StringBuilder();
    for (String file : files) {
      joined.append(read(file)).append('\n');
    }
    this.text = joined.toString().getBytes(UTF_8);
    try {
      this.digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-1", e);
    }
  }

  private static String read(String file) {
    try (InputStream in = Script.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("the script " + file + " is missing from this build");
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether several calls can share one script call. */
  public boolean isShared() {
    return shared;
  }

  public byte[] text() {
    return text;
  }

  public String digest() {
    return digest;
  }
}

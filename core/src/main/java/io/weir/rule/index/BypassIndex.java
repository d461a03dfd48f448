package io.weir.rule.index;

import io.weir.Call;
import io.weir.Key;
import io.weir.Mode;
import io.weir.rule.Bypass;
import io.weir.store.Draw;
import io.weir.store.Pool;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Bypass tokens by their hash. */
public final class BypassIndex {
  private record Entry(Bypass bypass, Pool pool) {}

  private final Map<String, Entry> byHash = new HashMap<>();

  public BypassIndex(List<Bypass> bypasses) {
    for (Bypass bypass : bypasses) {
      String name = "bypass." + bypass.id();
      Pool pool = new Pool(name, name, "1", bypass.limit(), false);
      byHash.put(bypass.tokenSha256(), new Entry(bypass, pool));
    }
  }

  /** Whether there is any token at all. */
  public boolean isEmpty() {
    return byHash.isEmpty();
  }

  /** A known token's id, and what its use draws. */
  public record BypassUse(String id, Draw draw) {}

  /**
   * The use of a token that is known and has not expired, for one call.
   *
   * @param intent {@code TAKE_NOW} to use it, {@code LOOK} to see whether it could be used
   */
  public Optional<BypassUse> use(String token, Call call, long wallMicros, Draw.Intent intent) {
    Entry entry = byHash.get(sha256(token));
    if (entry == null || entry.bypass.expires().toEpochMilli() <= wallMicros / 1000) {
      return Optional.empty();
    }
    long uses = Math.min(1, call.cost());
    Draw draw = new Draw(entry.pool, Key.NONE, uses, Mode.ENFORCE, intent);
    return Optional.of(new BypassUse(entry.bypass.id(), draw));
  }

  private static String sha256(String token) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha.digest(token.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}

package io.weir.control.store;

import io.weir.adjust.KeyIdentity;
import io.weir.control.text.StorableText;
import java.util.List;
import java.util.Optional;

/**
 * A key of a rule as the database stores it: hashed, with a label only where the operator typed
 * one.
 *
 * @param hash the first 32 hex digits of the SHA-256 of the key's values
 * @param hash64 a cheap hash of the values, by which a call's key is looked up before its digest is
 *     compared
 */
public record KeyRef(String hash, long hash64, Optional<String> label) {
  public KeyRef {
    label.ifPresent(text -> StorableText.require("key", text));
  }

  /** The key with these values, in the order of the rule's dimensions, without a label. */
  public static KeyRef of(List<String> values) {
    KeyIdentity key = KeyIdentity.of(values);
    return new KeyRef(key.sha256(), key.hash(), Optional.empty());
  }

  public KeyRef withLabel(String text) {
    return new KeyRef(hash, hash64, Optional.of(text));
  }

  /** What decisions compare with the key of a call. */
  public KeyIdentity identity() {
    return new KeyIdentity(hash64, hash);
  }
}

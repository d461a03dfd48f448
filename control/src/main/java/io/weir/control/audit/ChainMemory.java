package io.weir.control.audit;

import java.util.Map;
import java.util.Set;

/**
 * What an instance remembers of the log, in its cache on disk.
 *
 * @param head the head it last saw
 * @param versions the SHA-256 of each version that it saw in the log
 * @param keys the public keys that it saw in the log, in base64
 */
public record ChainMemory(AuditHead head, Map<Long, String> versions, Set<String> keys) {
  public ChainMemory {
    versions = Map.copyOf(versions);
    keys = Set.copyOf(keys);
  }

  /** Whether a version with this text was in the log. */
  public boolean knows(long version, String sha256) {
    return sha256.equals(versions.get(version));
  }
}

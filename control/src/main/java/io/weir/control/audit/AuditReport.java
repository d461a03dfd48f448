package io.weir.control.audit;

import java.util.List;
import java.util.SortedMap;

/**
 * The outcome of a verification.
 *
 * @param entries how many entries were checked
 * @param keys the public keys that the log names, by the entry that added them
 * @param witnesses how many earlier heads were compared
 */
public record AuditReport(
    AuditHead head,
    long entries,
    SortedMap<Long, PublicAuditKey> keys,
    int witnesses,
    List<AuditFinding> findings) {

  public boolean isIntact() {
    return findings.isEmpty();
  }
}

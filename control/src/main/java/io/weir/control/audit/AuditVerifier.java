package io.weir.control.audit;

import io.weir.control.audit.AuditFinding.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Checks a log entry by entry, without the database: a command recomputes what the server shows.
 *
 * <p>Each hash covers the sequence number and the hash before it. A changed row no longer gives its
 * hash; a removed one leaves a gap; an inserted or moved one is not named by its successor. A
 * person who rewrites all rows from one on needs the signing key, and differs from every head that
 * was seen earlier.
 */
public final class AuditVerifier {
  private final String log;
  private final Map<Long, List<AuditHead>> witnesses = new HashMap<>();
  private final Map<String, PublicAuditKey> keys = new HashMap<>();
  private final TreeMap<Long, PublicAuditKey> keysBySeq = new TreeMap<>();
  private final List<AuditFinding> findings = new ArrayList<>();
  private final int witnessCount;
  private AuditHead last;
  private long entries;

  /**
   * @param log the id of the log
   * @param witnesses heads seen earlier; an empty log id stands for this log
   */
  public AuditVerifier(String log, Collection<AuditHead> witnesses) {
    this.log = log;
    this.witnessCount = witnesses.size();
    this.last = new AuditHead(log, 1, 0, AuditHead.NO_HASH);
    for (AuditHead witness : witnesses) {
      if (!witness.log().isEmpty() && !witness.log().equals(log)) {
        find(Kind.WITNESS, witness.seq(), "seen earlier in another log: " + witness.log());
      } else if (witness.seq() > 0) {
        this.witnesses.computeIfAbsent(witness.seq(), seq -> new ArrayList<>()).add(witness);
      }
    }
  }

  /** Checks the next entry. */
  public void add(AuditEntry entry) {
    long seq = entry.seq();
    entries++;
    if (seq > last.seq() + 1) {
      find(Kind.MISSING, last.seq() + 1, "no entry up to " + (seq - 1));
    }
    if (seq <= last.seq()) {
      find(Kind.UNLINKED, seq, "the entry comes after " + last.seq());
    }
    if (!entry.computeHash(log).equals(entry.hash())) {
      find(Kind.CHANGED, seq, "the fields do not give the hash");
    }
    if (!entry.previous().equals(last.hash())) {
      find(Kind.UNLINKED, seq, "the entry does not continue the one before it");
    }
    checkEpoch(entry);
    checkSignature(entry);
    for (AuditHead witness : witnesses.getOrDefault(seq, List.of())) {
      if (!witness.hash().equals(entry.hash())) {
        find(Kind.WITNESS, seq, "seen earlier with hash " + witness.hash());
      }
    }
    witnesses.remove(seq);
    last = entry.head(log);
  }

  private void checkEpoch(AuditEntry entry) {
    boolean accepted =
        entry.record().action().equals(AuditEntry.LOG_ACCEPTED)
            && entry.epoch() == last.epoch() + 1;
    if (entry.epoch() != last.epoch() && !accepted) {
      find(Kind.EPOCH, entry.seq(), "epoch " + entry.epoch() + " after " + last.epoch());
    }
  }

  private void checkSignature(AuditEntry entry) {
    if (entry.record().action().equals(AuditEntry.KEY_ADDED)) {
      PublicAuditKey key = PublicAuditKey.parse(entry.record().after());
      keys.put(key.id(), key);
      keysBySeq.put(entry.seq(), key);
    }
    PublicAuditKey key = keys.get(entry.signer());
    if (key == null) {
      find(Kind.SIGNATURE, entry.seq(), "signed by an unknown key: " + entry.signer());
    } else if (!key.verifies(entry.head(log), entry.signature())) {
      find(Kind.SIGNATURE, entry.seq(), "the signature of key " + entry.signer() + " is wrong");
    }
  }

  /** Compares the end with the head row and returns the report. */
  public AuditReport finish(AuditHead head) {
    if (!head.equals(last)) {
      find(Kind.HEAD, head.seq(), "the head names " + head + ", the last entry gives " + last);
    }
    witnesses.values().stream()
        .flatMap(List::stream)
        .forEach(it -> find(Kind.WITNESS, it.seq(), "seen earlier, not in the log: " + it.hash()));
    return new AuditReport(
        head, entries, new TreeMap<>(keysBySeq), witnessCount, List.copyOf(findings));
  }

  private void find(Kind kind, long seq, String detail) {
    findings.add(new AuditFinding(kind, seq, detail));
  }
}

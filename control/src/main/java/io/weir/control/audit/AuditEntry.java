package io.weir.control.audit;

import io.weir.control.text.Digest;
import java.time.Instant;

/**
 * One entry of the log.
 *
 * @param previous the hash of the entry before it
 * @param hash over every field above and the log's id
 * @param signer the id of the key that signed the head which this entry made; empty if unsigned
 * @param signature Ed25519, base64, over log id, epoch, sequence and hash; empty if unsigned
 */
public record AuditEntry(
    long seq,
    long epoch,
    Instant at,
    Origin origin,
    AuditRecord record,
    String previous,
    String hash,
    String signer,
    String signature) {

  /** The action of the entry that enters a public key; the key is the state after, in base64. */
  public static final String KEY_ADDED = "key.added";

  /** The action of the entry with which a person accepts a log. */
  public static final String LOG_ACCEPTED = "log.accepted";

  /** The action of the entry that enters a version; its SHA-256 is the state after. */
  public static final String RULES_PUBLISHED = "rules.published";

  /** The entry after a head, signed. */
  static AuditEntry after(
      AuditHead head, Instant at, Origin origin, AuditRecord record, AuditKey key) {
    AuditEntry bare =
        new AuditEntry(head.seq() + 1, head.epoch(), at, origin, record, head.hash(), "", "", "");
    String hash = bare.computeHash(head.log());
    AuditHead next = new AuditHead(head.log(), head.epoch(), bare.seq(), hash);
    return new AuditEntry(
        bare.seq(), bare.epoch(), at, origin, record, head.hash(), hash, key.id(), key.sign(next));
  }

  /** The hash that the fields of this entry give in a log. */
  public String computeHash(String log) {
    return new Digest()
        .add(log)
        .add(epoch)
        .add(seq)
        .add(at.toEpochMilli())
        .add(origin.actor())
        .add(origin.address())
        .add(record.action())
        .add(record.target())
        .add(record.before())
        .add(record.after())
        .add(origin.message())
        .add(origin.correlation())
        .add(previous)
        .hex();
  }

  /** The head that this entry makes. */
  public AuditHead head(String log) {
    return new AuditHead(log, epoch, seq, hash);
  }
}

package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.audit.AuditEntry;
import io.weir.control.audit.AuditFinding;
import io.weir.control.audit.AuditFinding.Kind;
import io.weir.control.audit.AuditHead;
import io.weir.control.audit.AuditReport;
import io.weir.control.audit.ChainGuard;
import io.weir.control.audit.ChainMemory;
import io.weir.control.audit.ChainVerdict;
import io.weir.control.audit.Origin;
import io.weir.control.change.ChangeLog.Acceptance;
import io.weir.control.store.Tenant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The audit log: what each kind of tampering leads to. */
interface AuditContract extends ContractHarness {
  @Test
  default void anUntouchedLogIsIntact() {
    fillLog();

    AuditReport report = stores().audit().verify(List.of(stores().audit().head()));

    assertThat(report.findings()).isEmpty();
    assertThat(report.isIntact()).isTrue();
    assertThat(report.entries()).isEqualTo(5);
    assertThat(report.keys()).containsOnlyKeys(1L);
    assertThat(stores().audit().after(3, 10)).extracting(AuditEntry::seq).containsExactly(4L, 5L);
  }

  @Test
  default void anEntryHasEveryFieldOfTheChange() {
    Origin origin = new Origin("bob", "10.0.0.9", "é 漢 😀 \"quoted\"\n", "req-9");
    stores().tenants().put(List.of(new Tenant("acme", "free")), ALICE);
    stores().tenants().put(List.of(new Tenant("acme", "standard")), origin);

    AuditEntry entry = stores().audit().after(2, 1).get(0);

    assertThat(entry.origin()).isEqualTo(origin);
    assertThat(entry.at()).isEqualTo(database().now());
    assertThat(entry.record().target()).isEqualTo("tenant/acme");
    assertThat(entry.record().before()).isEqualTo("free");
    assertThat(entry.record().after()).isEqualTo("standard");
  }

  @Test
  default void verifyFindsAChangedRow() {
    fillLog();
    tamper("update audit set actor = 'mallory' where seq = 3");
    assertThat(findings()).containsExactly("CHANGED 3");
  }

  @Test
  default void verifyFindsARemovedRow() {
    fillLog();
    tamper("delete from audit where seq = 3");
    assertThat(findings()).containsExactly("MISSING 3", "UNLINKED 4");
  }

  @Test
  default void verifyFindsARemovedLastRow() {
    fillLog();
    tamper("delete from audit where seq = 5");
    assertThat(findings()).containsExactly("HEAD 5");
  }

  @Test
  default void verifyFindsReorderedRows() {
    fillLog();
    tamper("update audit set seq = 99 where seq = 3");
    tamper("update audit set seq = 3 where seq = 4");
    tamper("update audit set seq = 4 where seq = 99");
    assertThat(findings()).contains("CHANGED 3", "CHANGED 4", "UNLINKED 3", "UNLINKED 4");
  }

  @Test
  default void verifyFindsAnInsertedRow() {
    fillLog();
    // Between the third and the fourth: the later ones move up.
    tamper("update audit set seq = seq + 100 where seq > 3");
    tamper(
        "insert into audit select 4, epoch, at, actor, address, action, target, before_text,"
            + " after_text, message, correlation, hash, hash, signer, signature"
            + " from audit where seq = 3");
    tamper("update audit set seq = seq - 99 where seq > 100");
    assertThat(findings()).contains("CHANGED 4", "CHANGED 5", "CHANGED 6");
  }

  @Test
  default void verifyFindsALogThatWasRewrittenWithoutTheKey() {
    fillLog();
    AuditHead seen = stores().audit().head();
    rewriteLast("mallory");
    assertThat(findings()).containsExactly("SIGNATURE 5");
    assertThat(stores().audit().verify(List.of(seen)).findings())
        .extracting(AuditFinding::kind)
        .containsExactly(Kind.SIGNATURE, Kind.WITNESS);
  }

  @Test
  default void aWitnessFindsALogThatWasCutShort() {
    fillLog();
    AuditHead seen = stores().audit().head();
    cutLast();
    assertThat(findings()).isEmpty();
    assertThat(stores().audit().verify(List.of(seen)).findings())
        .extracting(AuditFinding::kind)
        .containsExactly(Kind.WITNESS);
  }

  @Test
  default void aHeadOfAnotherLogIsNoWitnessOfThisOne() {
    AuditHead head = stores().audit().head();
    AuditHead other = new AuditHead("another", head.epoch(), head.seq(), head.hash());
    AuditHead unnamed = new AuditHead("", head.epoch(), head.seq(), head.hash());
    assertThat(stores().audit().verify(List.of(other)).findings())
        .extracting(AuditFinding::kind)
        .containsExactly(Kind.WITNESS);
    assertThat(stores().audit().verify(List.of(unnamed)).findings()).isEmpty();
  }

  @Test
  default void anInstanceFollowsALogThatContinues() {
    ChainMemory memory = memory(Optional.empty());
    assertThat(memory.versions()).isEmpty();
    String sha256 = publish("one").version().sha256();
    fillLog();

    ChainMemory next = memory(Optional.of(memory));

    assertThat(next.head()).isEqualTo(stores().audit().head());
    assertThat(next.knows(1, sha256)).isTrue();
    assertThat(next.knows(1, "other")).isFalse();
    assertThat(next.keys()).hasSize(1);
    assertThat(memory(Optional.of(next))).isEqualTo(next);
  }

  @Test
  default void anInstanceRefusesALogThatDoesNotContinueItsOwn() {
    fillLog();
    ChainMemory memory = memory(Optional.empty());
    cutLast();
    assertThat(check(memory)).isInstanceOf(ChainVerdict.Refused.class);

    stores().tenants().put(List.of(new Tenant("other", "free")), ALICE);
    publish("two");

    ChainVerdict verdict = check(memory);
    assertThat(verdict).isInstanceOf(ChainVerdict.Refused.class);
    assertThat(((ChainVerdict.Refused) verdict).own()).isEqualTo(memory.head());
    assertThat(((ChainVerdict.Refused) verdict).found()).isEqualTo(stores().audit().head());
  }

  @Test
  default void anInstanceRefusesARewrittenEntryThatItHasNotSeenYet() {
    ChainMemory memory = memory(Optional.empty());
    fillLog();
    tamper("update audit set after_text = 'premium' where seq = 4");
    assertThat(check(memory)).isInstanceOf(ChainVerdict.Refused.class);
  }

  @Test
  default void aPersonAcceptsARestoredLog() {
    fillLog();
    ChainMemory memory = memory(Optional.empty());
    cutLast();
    assertThat(check(memory)).isInstanceOf(ChainVerdict.Refused.class);

    AuditHead head = stores().audit().head();
    assertThat(stores().changes().accept("0".repeat(64), ALICE))
        .isEqualTo(new Acceptance.OtherHead(head));
    assertThat(check(memory)).isInstanceOf(ChainVerdict.Refused.class);
    assertThat(stores().changes().accept(head.hash(), ALICE)).isEqualTo(new Acceptance.Accepted(2));

    ChainVerdict verdict = check(memory);
    assertThat(verdict).isInstanceOf(ChainVerdict.Accepted.class);
    ChainMemory next = ((ChainVerdict.Accepted) verdict).memory();
    assertThat(next.head().epoch()).isEqualTo(2);
    fillLog();
    assertThat(check(next)).isInstanceOf(ChainVerdict.Continues.class);
    assertThat(findings()).isEmpty();
  }

  @Test
  default void anAcceptanceByAnUnknownKeyIsRefused() {
    fillLog();
    ChainMemory memory = memory(Optional.empty());
    cutLast();
    ControlStores stranger = anotherInstance("stranger");
    stranger.changes().accept(stores().audit().head().hash(), ALICE);

    assertThat(check(memory)).isInstanceOf(ChainVerdict.Refused.class);
  }

  private void fillLog() {
    for (int i = 0; i < 4; i++) {
      stores().tenants().put(List.of(new Tenant("t" + i, "free")), ALICE);
    }
  }

  /** Removes the last entry and makes the head row name the one before, as a restore does. */
  private void cutLast() {
    tamper("delete from audit where seq = (select audit_seq from head)");
    tamper(
        "update head set audit_seq = audit_seq - 1,"
            + " audit_hash = (select hash from audit where seq = head.audit_seq - 1)");
  }

  /** Rewrites the last entry so that all hashes agree; only the signature cannot. */
  private void rewriteLast(String actor) {
    AuditHead head = stores().audit().head();
    AuditEntry last = stores().audit().after(head.seq() - 1, 1).get(0);
    AuditEntry other =
        new AuditEntry(
            last.seq(),
            last.epoch(),
            last.at(),
            new Origin(actor, "", "", ""),
            last.record(),
            last.previous(),
            "",
            "",
            "");
    String hash = other.computeHash(head.log());
    tamper(
        "update audit set actor = ?, address = '', message = '', correlation = '', hash = ?"
            + " where seq = ?",
        actor,
        hash,
        last.seq());
    tamper("update head set audit_hash = ?", hash);
  }

  private List<String> findings() {
    return stores().audit().verify(List.of()).findings().stream()
        .map(it -> it.kind() + " " + it.seq())
        .distinct()
        .filter(it -> !it.startsWith("SIGNATURE") || !hasOther(it))
        .toList();
  }

  /** A changed row has a wrong signature too; one finding is enough for the comparison. */
  private boolean hasOther(String signature) {
    String seq = signature.substring(signature.indexOf(' '));
    return stores().audit().verify(List.of()).findings().stream()
        .anyMatch(it -> it.kind() != Kind.SIGNATURE && (" " + it.seq()).equals(seq));
  }

  private ChainVerdict check(ChainMemory memory) {
    return database().read(sql -> ChainGuard.check(sql, Optional.of(memory)));
  }

  private ChainMemory memory(Optional<ChainMemory> before) {
    ChainVerdict verdict = database().read(sql -> ChainGuard.check(sql, before));
    return ((ChainVerdict.Continues) verdict).memory();
  }
}

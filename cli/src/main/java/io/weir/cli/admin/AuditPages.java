package io.weir.cli.admin;

import io.weir.cli.client.AdminClient;
import io.weir.cli.output.JsonMap;
import io.weir.control.audit.AuditEntry;
import io.weir.control.audit.AuditHead;
import io.weir.control.audit.AuditRecord;
import io.weir.control.audit.Origin;
import java.time.Instant;
import java.util.List;

/** The audit log as the admin API shows it. */
record AuditPages(AdminClient client) {
  /**
   * The ends of the log.
   *
   * @param instances the heads that instances last saw
   */
  record Heads(AuditHead head, List<AuditHead> instances) {}

  Heads heads() {
    JsonMap answer = client.get("/audit/head");
    String log = answer.text("log");
    return new Heads(
        head(log, answer),
        answer.maps("instances").stream().map(instance -> head(log, instance)).toList());
  }

  private static AuditHead head(String log, JsonMap head) {
    return new AuditHead(log, head.number("epoch"), head.number("seq"), head.text("hash"));
  }

  /** A page of entries after a sequence number, oldest first; empty at the end. */
  List<AuditEntry> after(long seq) {
    return client.get("/audit?limit=1000&after=" + seq).maps("items").stream()
        .map(AuditPages::entry)
        .toList();
  }

  private static AuditEntry entry(JsonMap entry) {
    return new AuditEntry(
        entry.number("seq"),
        entry.number("epoch"),
        Instant.parse(entry.text("at")),
        new Origin(
            entry.text("actor"),
            entry.text("address"),
            entry.text("message"),
            entry.text("correlation")),
        new AuditRecord(
            entry.text("action"), entry.text("target"), entry.text("before"), entry.text("after")),
        entry.text("previous"),
        entry.text("hash"),
        entry.text("signer"),
        entry.text("signature"));
  }
}

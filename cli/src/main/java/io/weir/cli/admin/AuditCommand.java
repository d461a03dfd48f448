package io.weir.cli.admin;

import io.weir.cli.client.AdminClient;
import io.weir.cli.client.AdminOptions;
import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import io.weir.control.audit.AuditEntry;
import io.weir.control.audit.AuditExport;
import io.weir.control.audit.AuditHead;
import io.weir.control.audit.AuditReport;
import io.weir.control.audit.AuditVerifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The audit log: who changed what, and whether the log is whole. */
@Command(name = "audit", description = "Shows, verifies and exports the audit log.")
public final class AuditCommand extends CommandGroup {
  @Command(name = "list", description = "Lists entries, oldest first.")
  int list(
      @Option(
              names = "--after",
              paramLabel = "SEQ",
              defaultValue = "0",
              description = "Only entries after this sequence number.")
          long after,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    List<JsonMap> rows = admin.client().list("/audit?limit=1000&after=" + after);
    output.list(
        out(), rows, "no entries", "seq", "at", "actor", "action", "target", "message", "hash");
    return 0;
  }

  @Command(
      name = "verify",
      description = {
        "Recomputes the hash chain and its signatures here, and compares the heads that instances"
            + " last saw, and those of an earlier export.",
        "Says what is covered and what is not."
      },
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {"0:the log is whole", "1:something was changed", "2:error"})
  int verify(
      @Option(
              names = "--against",
              paramLabel = "FILE",
              description = "An earlier export whose heads must be part of the log.")
          @Nullable Path against,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    AuditPages pages = new AuditPages(admin.client());
    AuditPages.Heads heads = pages.heads();
    List<AuditHead> witnesses = new ArrayList<>(heads.instances());
    if (against != null) {
      witnesses.addAll(exported(against));
    }
    AuditVerifier verifier = new AuditVerifier(heads.head().log(), witnesses);
    long last = 0;
    for (List<AuditEntry> page = pages.after(0); !page.isEmpty(); page = pages.after(last)) {
      for (AuditEntry entry : page) {
        if (entry.seq() <= heads.head().seq()) {
          verifier.add(entry);
        }
        last = Math.max(last + 1, entry.seq());
      }
      if (last >= heads.head().seq()) {
        break;
      }
    }
    AuditReport report = verifier.finish(heads.head());
    print(report, against != null, output);
    return report.isIntact() ? 0 : CommandException.REFUSED;
  }

  private static List<AuditHead> exported(Path file) {
    try {
      return AuditExport.heads(file);
    } catch (IOException e) {
      throw new CommandException(String.valueOf(e.getMessage()));
    }
  }

  private void print(AuditReport report, boolean against, Output output) {
    List<JsonMap> findings =
        report.findings().stream()
            .map(
                it ->
                    new JsonMap()
                        .put("kind", it.kind().name().toLowerCase(Locale.ROOT))
                        .put("seq", it.seq())
                        .put("detail", it.detail()))
            .toList();
    PrintWriter out = out();
    if (output.isJson()) {
      out.println(
          new JsonMap()
              .put("intact", report.isIntact())
              .put("entries", report.entries())
              .put("head", report.head().hash())
              .put("heads_compared", (long) report.witnesses())
              .put("findings", findings)
              .pretty());
    } else {
      findings.forEach(it -> out.println("entry " + it.number("seq") + ": " + it.text("detail")));
      out.println(
          "%s: %d entries, %d signing keys, head %s"
              .formatted(
                  report.isIntact() ? "the log is whole" : "THE LOG WAS CHANGED",
                  report.entries(),
                  report.keys().size(),
                  report.head().hash()));
      out.println(
          "compared with %d heads seen by instances%s"
              .formatted(report.witnesses(), against ? " or exported" : ""));
      out.println(
          "covered: every entry, its order and its signature. Not covered: entries that were never"
              + " written, and a rewrite since the earliest head compared by a holder of a key.");
    }
    out.flush();
  }

  @Command(name = "export", description = "Writes the whole log to a file, one object a line.")
  int export(
      @Parameters(paramLabel = "FILE", description = "The file to write.") Path file,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    AuditPages pages = new AuditPages(admin.client());
    AuditHead head = pages.heads().head();
    try {
      long entries = AuditExport.write(file, head.log(), pages::after);
      JsonMap result = new JsonMap().put("file", file.toString()).put("entries", entries);
      output.answer(out(), result, entries + " entries are in " + file);
    } catch (IOException e) {
      throw new CommandException(file + " cannot be written: " + e.getMessage());
    }
    return 0;
  }

  @Command(
      name = "accept",
      description = "Accepts a log that does not continue, such as one restored from a backup.")
  int accept(
      @Option(
              names = "--head",
              required = true,
              paramLabel = "HASH",
              description = "Hash of the head, as weir status shows it.")
          String head,
      @Option(names = "--local", description = "On this instance only; nothing is appended.")
          boolean local,
      @Mixin MessageOption message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    JsonMap body = new JsonMap().put("head", head).put("message", message.text());
    if (local) {
      body.put("local", true);
    }
    AdminClient client = admin.client();
    JsonMap accepted = client.change("POST", "/audit/accept", body);
    output.answer(
        out(),
        accepted,
        local ? "accepted on this instance" : "accepted; epoch " + accepted.shown("epoch"));
    return 0;
  }
}

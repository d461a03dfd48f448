package io.weir.control.audit;

import io.weir.control.text.TextMapCodec;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A log in a file, one JSON object of texts a line: what {@code audit export} writes and {@code
 * audit verify --against} reads. Every entry carries the signature of the head that it made.
 */
public final class AuditExport {
  /** A page of entries after a sequence number, oldest first; empty at the end. */
  @FunctionalInterface
  public interface Source {
    List<AuditEntry> after(long seq);
  }

  private AuditExport() {}

  /** Writes all entries of a log and returns how many. */
  public static long write(Path file, String log, Source source) throws IOException {
    long count = 0;
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      List<AuditEntry> page = source.after(0);
      while (!page.isEmpty()) {
        for (AuditEntry entry : page) {
          out.write(TextMapCodec.write(fields(log, entry)));
          out.write('\n');
          count++;
        }
        page = source.after(page.get(page.size() - 1).seq());
      }
    }
    return count;
  }

  /** The heads that a file names, one per entry: witnesses for {@link AuditVerifier}. */
  public static List<AuditHead> heads(Path file) throws IOException {
    List<AuditHead> heads = new ArrayList<>();
    try (BufferedReader in = Files.newBufferedReader(file)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        SortedMap<String, String> fields = TextMapCodec.read(line);
        heads.add(
            new AuditHead(
                fields.get("log"),
                Long.parseLong(fields.get("epoch")),
                Long.parseLong(fields.get("seq")),
                fields.get("hash")));
      }
    } catch (RuntimeException e) {
      throw new IOException(file + " is no export of an audit log: " + e.getMessage(), e);
    }
    return heads;
  }

  /** The entries that a file holds. */
  public static List<AuditEntry> entries(Path file) throws IOException {
    List<AuditEntry> entries = new ArrayList<>();
    try (BufferedReader in = Files.newBufferedReader(file)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        entries.add(entry(TextMapCodec.read(line)));
      }
    } catch (RuntimeException e) {
      throw new IOException(file + " is no export of an audit log: " + e.getMessage(), e);
    }
    return entries;
  }

  private static SortedMap<String, String> fields(String log, AuditEntry entry) {
    SortedMap<String, String> fields = new TreeMap<>();
    fields.put("log", log);
    fields.put("seq", Long.toString(entry.seq()));
    fields.put("epoch", Long.toString(entry.epoch()));
    fields.put("at", entry.at().toString());
    fields.put("actor", entry.origin().actor());
    fields.put("address", entry.origin().address());
    fields.put("action", entry.record().action());
    fields.put("target", entry.record().target());
    fields.put("before", entry.record().before());
    fields.put("after", entry.record().after());
    fields.put("message", entry.origin().message());
    fields.put("correlation", entry.origin().correlation());
    fields.put("previous", entry.previous());
    fields.put("hash", entry.hash());
    fields.put("signer", entry.signer());
    fields.put("signature", entry.signature());
    return fields;
  }

  private static AuditEntry entry(SortedMap<String, String> fields) {
    return new AuditEntry(
        Long.parseLong(fields.get("seq")),
        Long.parseLong(fields.get("epoch")),
        Instant.parse(fields.get("at")),
        new Origin(
            fields.get("actor"),
            fields.get("address"),
            fields.get("message"),
            fields.get("correlation")),
        new AuditRecord(
            fields.get("action"), fields.get("target"), fields.get("before"), fields.get("after")),
        fields.get("previous"),
        fields.get("hash"),
        fields.get("signer"),
        fields.get("signature"));
  }
}

package io.weir.control.audit;

import io.weir.control.database.Sql;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes an instance a witness of the log: it checks that the log continues the head that the
 * instance last saw. An instance without memory trusts the first head it sees.
 */
public final class ChainGuard {
  private static final int PAGE = 1000;
  private static final String VERSION = "version/";

  private ChainGuard() {}

  /** Checks the log that a transaction sees against a memory. */
  public static ChainVerdict check(Sql sql, Optional<ChainMemory> memory) throws SQLException {
    AuditHead head = AuditTable.head(sql);
    if (memory.isEmpty()) {
      return new ChainVerdict.Continues(whole(sql, head));
    }
    ChainMemory own = memory.get();
    Optional<ChainMemory> next = follow(sql, own, head);
    if (next.isPresent()) {
      return new ChainVerdict.Continues(next.get());
    }
    if (head.epoch() > own.head().epoch() || !head.log().equals(own.head().log())) {
      Optional<AuditEntry> acceptance = acceptance(sql, head);
      if (acceptance.isPresent() && isSignedByKnown(acceptance.get(), head, own)) {
        AuditHead start = acceptance.get().head(head.log());
        if (follow(sql, new ChainMemory(start, Map.of(), Set.of()), head).isPresent()) {
          return new ChainVerdict.Accepted(whole(sql, head));
        }
      }
    }
    return new ChainVerdict.Refused(own.head(), head, "the log does not continue the one seen");
  }

  /** Walks from the remembered head to the present one; empty if the way is broken. */
  private static Optional<ChainMemory> follow(Sql sql, ChainMemory own, AuditHead head)
      throws SQLException {
    AuditHead at = own.head();
    if (!at.log().equals(head.log()) || at.seq() > head.seq()) {
      return Optional.empty();
    }
    if (at.equals(head)) {
      return Optional.of(own);
    }
    Map<Long, String> versions = new HashMap<>(own.versions());
    Set<String> keys = new HashSet<>(own.keys());
    boolean first = at.seq() > 0;
    while (first || at.seq() < head.seq()) {
      List<AuditEntry> page = AuditTable.from(sql, first ? at.seq() : at.seq() + 1, PAGE);
      if (page.isEmpty()) {
        return Optional.empty();
      }
      for (AuditEntry entry : page) {
        boolean good = first ? entry.head(head.log()).equals(at) : continues(entry, at, head.log());
        if (!good) {
          return Optional.empty();
        }
        if (!first) {
          note(entry, versions, keys);
        }
        first = false;
        at = entry.head(head.log());
      }
    }
    return at.equals(head) ? Optional.of(new ChainMemory(head, versions, keys)) : Optional.empty();
  }

  private static boolean continues(AuditEntry entry, AuditHead before, String log) {
    return entry.seq() == before.seq() + 1
        && entry.previous().equals(before.hash())
        && entry.computeHash(log).equals(entry.hash());
  }

  private static void note(AuditEntry entry, Map<Long, String> versions, Set<String> keys) {
    AuditRecord record = entry.record();
    if (record.action().equals(AuditEntry.RULES_PUBLISHED)) {
      versions.put(Long.valueOf(record.target().substring(VERSION.length())), record.after());
    } else if (record.action().equals(AuditEntry.KEY_ADDED)) {
      keys.add(record.after());
    }
  }

  /** The memory of an instance that takes the log as it is. */
  private static ChainMemory whole(Sql sql, AuditHead head) throws SQLException {
    Map<Long, String> versions = new HashMap<>();
    Set<String> keys = new HashSet<>();
    for (String action : List.of(AuditEntry.RULES_PUBLISHED, AuditEntry.KEY_ADDED)) {
      for (AuditEntry entry : AuditTable.withAction(sql, action)) {
        note(entry, versions, keys);
      }
    }
    return new ChainMemory(head, versions, keys);
  }

  private static Optional<AuditEntry> acceptance(Sql sql, AuditHead head) throws SQLException {
    return AuditTable.withAction(sql, AuditEntry.LOG_ACCEPTED).stream()
        .filter(entry -> entry.epoch() == head.epoch())
        .filter(entry -> entry.computeHash(head.log()).equals(entry.hash()))
        .findFirst();
  }

  /** A person who can only write to the database cannot make this signature. */
  private static boolean isSignedByKnown(AuditEntry entry, AuditHead head, ChainMemory own) {
    return own.keys().stream()
        .map(PublicAuditKey::parse)
        .filter(key -> key.id().equals(entry.signer()))
        .anyMatch(key -> key.verifies(entry.head(head.log()), entry.signature()));
  }
}

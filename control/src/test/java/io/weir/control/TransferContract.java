package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.control.audit.AuditEntry;
import io.weir.control.audit.AuditExport;
import io.weir.control.audit.AuditHead;
import io.weir.control.audit.AuditVerifier;
import io.weir.control.database.Database;
import io.weir.control.database.DatabaseCopy;
import io.weir.control.feed.ChangeFeed;
import io.weir.control.feed.FeedUpdate;
import io.weir.control.store.Adjustment;
import io.weir.control.store.KeyRef;
import io.weir.control.store.Role;
import io.weir.control.store.Sample;
import io.weir.control.store.Tenant;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes through the database or leaves it: samples, recordings, exports, copies. */
interface TransferContract extends ContractHarness {
  /** An empty database of the kind to which this one is copied. */
  Database copyTarget();

  @Test
  default void theNewestSampleOfAnInstanceAndRuleCounts() {
    stores().samples().put(1, "a", "r", "old");
    time().advance(Duration.ofSeconds(5));
    Instant now = database().now();
    stores().samples().put(1, "a", "r", "new");
    stores().samples().put(1, "b", "r", "other");
    stores().samples().put(2, "a", "r", "another rollout");

    assertThat(stores().samples().since(1, now))
        .containsExactly(
            new Sample(1, "a", "r", "new", now), new Sample(1, "b", "r", "other", now));
    assertThat(stores().samples().since(1, now.plusMillis(1))).isEmpty();
    stores().samples().delete(1);
    assertThat(stores().samples().since(1, Instant.EPOCH)).isEmpty();
    assertThat(stores().samples().since(2, Instant.EPOCH)).hasSize(1);
    assertThatThrownBy(() -> stores().samples().put(1, "a", "r", "é".repeat(5121)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  default void instancesAnswerARequestForRecordingsOnce() {
    Instant start = database().now();
    stores().recordings().request("w1");
    assertThat(stores().recordings().openRequests("a", start)).containsExactly("w1");
    byte[] body = new byte[2 << 20];
    body[7] = -1;

    stores().recordings().answer("w1", "a", body);
    stores().recordings().answer("w1", "b", new byte[] {1});

    assertThat(stores().recordings().openRequests("a", start)).isEmpty();
    assertThat(stores().recordings().openRequests("c", start)).containsExactly("w1");
    Map<String, byte[]> answers = stores().recordings().answers("w1");
    assertThat(answers).containsOnlyKeys("a", "b");
    assertThat(answers.get("a")).isEqualTo(body);
    assertThatThrownBy(() -> stores().recordings().answer("w1", "c", new byte[(2 << 20) + 1]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(stores().recordings().forgetBefore(start.plusSeconds(1))).isEqualTo(3);
  }

  @Test
  default void anExportIsAWitnessOfTheLog(@TempDir Path folder) throws IOException {
    publish("é\n");
    stores().tenants().put(List.of(new Tenant("acme", "free")), ALICE);
    Path file = folder.resolve("audit.jsonl");
    String log = stores().audit().head().log();

    long written = AuditExport.write(file, log, seq -> stores().audit().after(seq, 2));

    List<AuditEntry> entries = AuditExport.entries(file);
    assertThat(written).isEqualTo(3);
    assertThat(entries).isEqualTo(stores().audit().after(0, 10));
    AuditVerifier verifier = new AuditVerifier(log, List.of());
    entries.forEach(verifier::add);
    assertThat(verifier.finish(stores().audit().head()).findings()).isEmpty();
    assertThat(stores().audit().verify(AuditExport.heads(file)).findings()).isEmpty();
    AuditHead other = new AuditHead(log, 1, 2, "f".repeat(64));
    assertThat(stores().audit().verify(List.of(other)).findings()).hasSize(1);
  }

  @Test
  default void aCopyContinuesTheLog() {
    publish("# é 漢\n");
    Instant now = database().now();
    KeyRef key = KeyRef.of(List.of("42")).withLabel("user=42");
    stores().overrides().set("r", key, new Adjustment.Factor(0.5), now, now.plusSeconds(60), ALICE);
    stores().overrides().set("r", key, new Adjustment.Unlimited(), now, now.plusSeconds(60), ALICE);
    stores().blocks().block(Optional.empty(), key, now.plusSeconds(60), ALICE);
    stores().tokens().create(Role.ADMIN, "a", Optional.empty(), ALICE);
    Tenant own = new Tenant("own", "free", new TreeMap<>(Map.of("rate", "5/s")));
    stores().tenants().put(List.of(own), ALICE);
    stores()
        .tenants()
        .put(IntStream.range(0, 2100).mapToObj(i -> new Tenant("t" + i, "x")).toList(), ALICE);
    FeedUpdate.Snapshot before = snapshot(database());

    Database target = copyTarget();
    Map<String, Long> copied = DatabaseCopy.copy(database(), target);

    assertThat(copied).containsEntry("tenant", 2101L).containsEntry("override", 2L);
    assertThat(snapshot(target)).isEqualTo(before);
    assertThat(new ChangeFeed(target).read(Optional.of(before.position())))
        .isEqualTo(new FeedUpdate.Unchanged());
    assertThatThrownBy(() -> DatabaseCopy.copy(database(), target))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  default void aNewerSchemaIsServedAndShown() {
    assertThat(database().isSchemaAhead()).isFalse();
    tamper(
        "insert into weir_schema (installed_rank, version, description, type, script, checksum,"
            + " installed_by, execution_time, success)"
            + " values (1000, '999', 'later', 'SQL', 'V999__later.sql', 1, 'x', 1, true)");

    ControlStores older = anotherInstance("older");

    assertThat(older.database().isSchemaAhead()).isTrue();
    older.tenants().put(List.of(new Tenant("acme", "free")), ALICE);
    assertThat(stores().tenants().find("acme")).isPresent();
  }

  private static FeedUpdate.Snapshot snapshot(Database database) {
    return (FeedUpdate.Snapshot) new ChangeFeed(database).read(Optional.empty());
  }
}

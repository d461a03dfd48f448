package io.weir.control.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.audit.AuditHead;
import io.weir.control.audit.ChainMemory;
import io.weir.control.store.Active;
import io.weir.control.store.Adjustment;
import io.weir.control.store.Block;
import io.weir.control.store.KeyOverride;
import io.weir.control.store.KeyRef;
import io.weir.control.store.KillSwitch;
import io.weir.control.store.Role;
import io.weir.control.store.Rollout;
import io.weir.control.store.RolloutState;
import io.weir.control.store.Tenant;
import io.weir.control.store.Token;
import io.weir.control.store.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateCacheTest {
  private static final Instant AT = Instant.parse("2026-03-01T10:20:30.456Z");

  @TempDir Path folder;

  @Test
  void givesBackWhatWasSaved() {
    StateCache cache = cache();
    cache.save(state("x: 1"));
    cache.save(state("# é 漢 😀\r\n\"x\": 2\u2028"));

    assertThat(cache().load()).contains(state("# é 漢 😀\r\n\"x\": 2\u2028"));
  }

  @Test
  void startsEmpty() {
    assertThat(cache().load()).isEmpty();
  }

  @Test
  void onlyTheOwnerMayReadIt() throws IOException {
    cache().save(state("x"));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
  }

  @Test
  void everyFlippedByteIsFoundAndTheFileIsSetAside() throws IOException {
    cache().save(state("x: 1"));
    byte[] good = Files.readAllBytes(file());
    for (int i = 0; i < good.length; i += 31) {
      byte[] bad = good.clone();
      bad[i] ^= 1;
      Files.write(file(), bad);
      assertThat(cache().load()).as("byte %d", i).isEmpty();
      assertThat(file()).doesNotExist();
      assertThat(folder.resolve("control.state.corrupt")).hasBinaryContent(bad);
    }
  }

  @Test
  void aFileCutShortIsFound() throws IOException {
    cache().save(state("x: 1"));
    byte[] good = Files.readAllBytes(file());
    for (int length : List.of(0, 10, good.length / 2, good.length - 1)) {
      Files.write(file(), Arrays.copyOf(good, length));
      assertThat(cache().load()).isEmpty();
    }
  }

  @Test
  void aFailedWriteLeavesNoTemporaryFile() throws IOException {
    Files.createDirectory(file());
    Files.writeString(file().resolve("in the way"), "");

    cache().save(state("x"));

    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(file());
    }
  }

  private Path file() {
    return folder.resolve("control.state");
  }

  private StateCache cache() {
    return new StateCache(file());
  }

  private static FeedUpdate.Snapshot state(String text) {
    AuditHead head = new AuditHead("log", 2, 17, "a".repeat(64));
    Version version =
        new Version(
            3,
            2,
            new TreeMap<>(Map.of("rules.yaml", text)),
            "sha",
            "alice",
            "why",
            "{}",
            "",
            AT,
            9);
    Rollout rollout =
        new Rollout(4, 0, 3, "now", 0, RolloutState.ROLLED_BACK, "r", "{}", 2, AT, AT, 9);
    KeyRef key = KeyRef.of(List.of("42"));
    return new FeedUpdate.Snapshot(
        new FeedPosition(12, new ChainMemory(head, Map.of(3L, "sha"), Set.of("key"))),
        new RuleState(
            new Active(0, 4, 7), Optional.empty(), Optional.of(rollout), Optional.of(version)),
        List.of(
            override(1, key, new Adjustment.Limit("minute", "5/min")),
            override(2, key.withLabel("user=42"), new Adjustment.Factor(0.1)),
            override(3, key, new Adjustment.Unlimited())),
        List.of(
            block(1, Optional.empty(), Block.Kind.SIGNAL, key),
            block(2, Optional.of("payments"), Block.Kind.OPERATOR, key)),
        List.of(new KillSwitch("all", AT, "m", "bob", AT)),
        List.of(
            new Token(1, "h", Role.VIEWER, "l", "a", AT, Optional.of(AT), Optional.empty(), true)),
        List.of(
            new Tenant("acme", "free"),
            new Tenant("é", "standard", new TreeMap<>(Map.of("rate", "250/s")))));
  }

  private static KeyOverride override(long id, KeyRef key, Adjustment adjustment) {
    return new KeyOverride(
        id, "r", key, adjustment, "why", "bob", AT, AT, AT, Optional.of(AT), true, 5);
  }

  private static Block block(long id, Optional<String> rule, Block.Kind kind, KeyRef key) {
    return new Block(id, rule, key, Block.Effect.TENTH, kind, AT, "why", "waf", "bob", AT, true, 6);
  }
}

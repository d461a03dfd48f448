package io.weir.http.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Call;
import io.weir.http.FakeRequestHead;
import io.weir.rule.RuleSet;
import io.weir.time.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiKeysTest {
  private static final RuleHeaders NONE = RuleHeaders.of(RuleSet.EMPTY);

  @TempDir Path folder;
  private final VirtualTime time = new VirtualTime();

  private Identity known(String... lines) throws IOException {
    Files.write(folder.resolve("keys"), List.of(lines));
    return Identity.builder()
        .withoutThreads(time)
        .apiKeys("X-API-Key", folder.resolve("keys"))
        .build();
  }

  private static FakeRequestHead with(String... keys) {
    FakeRequestHead head = FakeRequestHead.from("192.0.2.1");
    for (String key : keys) {
      head.with("x-api-key", key);
    }
    return head;
  }

  @Test
  void knownKeyGivesItsAttributes() throws IOException {
    Identity identity =
        known(
            "# comment", "", Sha256.hex("k1") + "  user=42 tenant=acme plan=a=b", Sha256.hex("k2"));
    Call call = IdentityCalls.of(identity, with("k1"), NONE);

    assertThat(call.attribute("user")).isEqualTo("42");
    assertThat(call.attribute("tenant")).isEqualTo("acme");
    assertThat(call.attribute("plan")).isEqualTo("a=b");
    assertThat(call.attribute("ip")).isEqualTo("192.0.2.1");
    assertThat(call.attribute("api_key")).isEqualTo(Sha256.hex("k1").substring(0, 32));
    assertThat(IdentityCalls.of(identity, with("k2"), NONE).attribute("api_key")).isNotNull();
    assertThat(IdentityCalls.of(identity, with("k2"), NONE).attribute("user")).isNull();
  }

  @Test
  void unknownKeyIsNoIdentity() throws IOException {
    Identity identity = known(Sha256.hex("k1") + " user=42");

    assertThat(IdentityCalls.of(identity, with("invented"), NONE).attributes())
        .containsOnlyKeys("ip");
    assertThat(IdentityCalls.of(identity, with(Sha256.hex("k1")), NONE).attributes())
        .containsOnlyKeys("ip");
    assertThat(IdentityCalls.of(identity, with(), NONE).attributes()).containsOnlyKeys("ip");
    assertThat(IdentityCalls.of(identity, with(" "), NONE).attributes()).containsOnlyKeys("ip");
    assertThat(IdentityCalls.of(identity, with("k1", "k1"), NONE).attributes())
        .containsOnlyKeys("ip");
  }

  @Test
  void acceptsAnyKeyIfConfigured() {
    Identity identity = Identity.builder().withoutThreads(time).anyApiKey("X-Key").build();
    Call one =
        IdentityCalls.of(identity, FakeRequestHead.from("192.0.2.1").with("x-key", "k1"), NONE);
    Call other =
        IdentityCalls.of(identity, FakeRequestHead.from("192.0.2.1").with("x-key", "k2"), NONE);

    assertThat(one.attribute("api_key")).isNotNull().isNotEqualTo(other.attribute("api_key"));
    assertThat(one.attributes().toString()).doesNotContain("k1");
  }

  private void look(Identity identity) {
    time.advance(Duration.ofSeconds(3));
    identity.tick();
  }

  @Test
  void followsTheFile() throws IOException {
    Identity identity = known(Sha256.hex("k1"));
    Files.writeString(folder.resolve("keys"), Sha256.hex("k2") + " user=7\n");
    identity.tick();
    assertThat(IdentityCalls.of(identity, with("k2"), NONE).attribute("user")).isNull();
    look(identity);
    assertThat(IdentityCalls.of(identity, with("k2"), NONE).attribute("user"))
        .isNull(); // may be half written
    look(identity);

    assertThat(IdentityCalls.of(identity, with("k2"), NONE).attribute("user")).isEqualTo("7");
    assertThat(IdentityCalls.of(identity, with("k1"), NONE).attribute("api_key")).isNull();
  }

  @Test
  void keepsTheLastGoodKeysWhenTheFileBreaks() throws IOException {
    Identity identity = known(Sha256.hex("k1"));
    Files.writeString(folder.resolve("keys"), "nonsense\n");
    look(identity);
    look(identity);
    Files.delete(folder.resolve("keys"));
    time.advance(Duration.ofSeconds(20));
    identity.tick();

    assertThat(IdentityCalls.of(identity, with("k1"), NONE).attribute("api_key")).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "k1 user=42",
        "%s user",
        "%s =42",
        "%s user=",
        "%s ip=1.2.3.4",
        "%s header.x=1",
        "%1$s\n%1$s",
      })
  void refusesABadFileWithItsLine(String text) {
    String key = Sha256.hex("k1");

    assertThatThrownBy(() -> known("# first", text.formatted(key)))
        .isInstanceOf(IOException.class)
        .hasMessageMatching("(?s).*keys:[23]: .*");
  }

  @Test
  void refusesAFileThatIsNotThere() {
    assertThatThrownBy(() -> Identity.builder().apiKeys("k", folder.resolve("none")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void readsInTheBackground() throws IOException {
    Files.writeString(folder.resolve("keys"), Sha256.hex("k1"));
    try (Identity identity =
        Identity.builder().apiKeys("x-api-key", folder.resolve("keys")).build()) {
      assertThat(Thread.getAllStackTraces().keySet())
          .anyMatch(thread -> thread.getName().equals("weir-identity") && thread.isDaemon());
      assertThat(IdentityCalls.of(identity, with("k1"), NONE).attribute("api_key")).isNotNull();
    }
  }
}

package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Key;
import io.weir.control.audit.AuditEntry;
import io.weir.control.audit.Origin;
import io.weir.control.store.Adjustment;
import io.weir.control.store.Block;
import io.weir.control.store.KeyOverride;
import io.weir.control.store.KeyRef;
import io.weir.control.store.Role;
import io.weir.control.store.Token;
import io.weir.control.store.TokenStore;
import io.weir.control.text.Digest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Overrides, blocks, signals, kill switches and tokens. */
interface KeyContract extends ContractHarness {
  KeyRef KEY = KeyRef.of(List.of("42"));

  /** The digest has not changed since the first version: rows written then are still found. */
  @Test
  default void keepsBothHashesOfAKey() {
    assertThat(KEY.hash())
        .isEqualTo(new Digest().add("42").hex().substring(0, 32))
        .isEqualTo(KEY.identity().sha256());
    assertThat(KEY.hash64())
        .isEqualTo(Key.of("42").fixedHash(""))
        .isEqualTo(KEY.identity().hash())
        .isNotEqualTo(KeyRef.of(List.of("42", "GET")).hash64());

    KeyOverride override = override("payments", KEY, new Adjustment.Unlimited());
    Block block =
        stores().blocks().block(Optional.empty(), KEY, database().now().plusSeconds(60), ALICE);

    assertThat(stores().overrides().find(override.id()).orElseThrow().key()).isEqualTo(KEY);
    assertThat(stores().blocks().list(0, 10, false)).containsExactly(block);
  }

  @Test
  default void keepsEachKindOfOverride() {
    List<Adjustment> kinds =
        List.of(
            new Adjustment.Limit("minute", "500/min"),
            new Adjustment.Factor(2.5),
            new Adjustment.Unlimited());
    for (Adjustment kind : kinds) {
      KeyOverride set = override("rule-" + kind.getClass().getSimpleName(), KEY, kind);
      assertThat(stores().overrides().find(set.id())).contains(set);
    }
    assertThat(stores().overrides().list(0, 10, false))
        .extracting(KeyOverride::adjustment)
        .isEqualTo(kinds);
  }

  @Test
  default void aLaterOverrideReplacesTheEarlierOne() {
    KeyOverride first = override("payments", KEY.withLabel("user=42"), new Adjustment.Factor(2));
    KeyOverride second = override("payments", KEY, new Adjustment.Unlimited());
    override("search", KEY, new Adjustment.Factor(3));

    assertThat(stores().overrides().list(0, 10, false))
        .filteredOn(it -> it.rule().equals("payments"))
        .containsExactly(second);
    assertThat(stores().overrides().list(0, 10, true)).hasSize(3);
    assertThat(stores().overrides().find(first.id()).orElseThrow().live()).isFalse();
  }

  @Test
  default void anOverrideLeavesTheListWhenItExpires() {
    KeyOverride set = override("payments", KEY, new Adjustment.Factor(2));
    assertThat(set.isInForce(database().now())).isTrue();

    time().advance(Duration.ofHours(2));

    assertThat(set.isInForce(database().now())).isFalse();
    assertThat(stores().overrides().list(0, 10, false)).isEmpty();
    assertThat(stores().overrides().list(0, 10, true)).hasSize(1);
  }

  @Test
  default void refusesAnOverrideThatHasEnded() {
    Instant now = database().now();
    long entries = stores().audit().head().seq();

    assertThatThrownBy(
            () ->
                stores()
                    .overrides()
                    .set("payments", KEY, new Adjustment.Unlimited(), now, now, ALICE))
        .isInstanceOf(IllegalArgumentException.class);

    assertThat(stores().audit().head().seq()).isEqualTo(entries);
  }

  @Test
  default void anOperatorEndsAnOverride() {
    KeyOverride set = override("payments", KEY, new Adjustment.Factor(2));

    assertThat(stores().overrides().end(set.id(), ALICE)).contains(set);
    assertThat(stores().overrides().end(set.id(), ALICE)).isEmpty();
    assertThat(stores().overrides().list(0, 10, false)).isEmpty();
  }

  @Test
  default void notesTheLatestUseOfAnOverride() {
    KeyOverride set = override("payments", KEY, new Adjustment.Factor(2));
    Instant used = database().now().plusSeconds(5);

    stores().overrides().touch(Map.of(set.id(), used));
    stores().overrides().touch(Map.of(set.id(), used.minusSeconds(3)));

    assertThat(stores().overrides().find(set.id()).orElseThrow().lastUsed()).contains(used);
  }

  @Test
  default void aBlockAndASignalOfOneKeyStandSideBySide() {
    Instant until = database().now().plusSeconds(60);
    Block block = stores().blocks().block(Optional.of("payments"), KEY, until, ALICE);
    stores().blocks().signal(Optional.of("payments"), KEY, Block.Effect.HALF, until, "waf", ALICE);
    Block newest =
        stores()
            .blocks()
            .signal(Optional.of("payments"), KEY, Block.Effect.TENTH, until, "waf", ALICE);
    Block everywhere = stores().blocks().block(Optional.empty(), KEY, until, ALICE);

    assertThat(stores().blocks().list(0, 10, false)).containsExactly(block, newest, everywhere);
    assertThat(stores().blocks().unblock(Optional.of("payments"), KEY, ALICE)).contains(block);
    assertThat(stores().blocks().unblock(Optional.of("payments"), KEY, ALICE)).isEmpty();
    assertThat(stores().blocks().clearSignal(Optional.of("payments"), KEY, ALICE)).contains(newest);
    assertThat(stores().blocks().list(0, 10, false)).containsExactly(everywhere);
    time().advance(Duration.ofSeconds(60));
    assertThat(stores().blocks().list(0, 10, false)).isEmpty();
  }

  @Test
  default void aKillSwitchEndsByHandOrByTime() {
    Instant until = database().now().plusSeconds(60);
    stores().killSwitches().on("all", until.minusSeconds(30), ALICE);
    stores().killSwitches().on("all", until, ALICE);
    stores().killSwitches().on("rule/payments", until, ALICE);
    assertThat(stores().killSwitches().list())
        .extracting(it -> it.scope() + " " + it.until())
        .containsExactly("all " + until, "rule/payments " + until);

    assertThat(stores().killSwitches().off("all", ALICE)).isTrue();
    assertThat(stores().killSwitches().off("all", ALICE)).isFalse();
    time().advance(Duration.ofSeconds(60));

    assertThat(stores().killSwitches().list()).isEmpty();
    assertThat(stores().killSwitches().off("rule/payments", ALICE)).isFalse();
  }

  @Test
  default void storesATokenHashedAndFindsItByItsText() {
    Instant expires = database().now().plusSeconds(60);
    TokenStore.Created created =
        stores().tokens().create(Role.OPERATOR, "on call", Optional.of(expires), ALICE);

    Token found = stores().tokens().find(created.text()).orElseThrow();

    assertThat(found).isEqualTo(created.token());
    assertThat(found.hash()).doesNotContain(created.text()).hasSize(64);
    assertThat(found.isGood(database().now())).isTrue();
    assertThat(found.isGood(expires)).isFalse();
    assertThat(stores().tokens().find("weir_other")).isEmpty();
    assertThat(stores().audit().after(0, 100))
        .extracting(AuditEntry::record)
        .noneMatch(record -> record.toString().contains(created.text()));
  }

  @Test
  default void theLastAdminTokenStaysUnlessOneIsConfigured() {
    Token admin = stores().tokens().create(Role.ADMIN, "a", Optional.empty(), ALICE).token();
    Token viewer = stores().tokens().create(Role.VIEWER, "v", Optional.empty(), ALICE).token();
    Instant soon = database().now().plusSeconds(1);
    stores().tokens().create(Role.ADMIN, "short", Optional.of(soon), ALICE);
    time().advance(Duration.ofSeconds(2));

    assertThat(stores().tokens().revoke(admin.id(), false, ALICE))
        .isEqualTo(TokenStore.Revocation.LAST_ADMIN);
    assertThat(stores().tokens().revoke(viewer.id(), false, ALICE))
        .isEqualTo(TokenStore.Revocation.REVOKED);
    assertThat(stores().tokens().revoke(viewer.id(), false, ALICE))
        .isEqualTo(TokenStore.Revocation.UNKNOWN);
    assertThat(stores().tokens().revoke(admin.id(), true, ALICE))
        .isEqualTo(TokenStore.Revocation.REVOKED);
  }

  @Test
  default void refusesTextThatADatabaseWouldChange() {
    for (String text : List.of("a\0b", "half \ud83d of a pair")) {
      assertThatThrownBy(() -> new Origin("a", "", text, ""))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("message");
      assertThatThrownBy(() -> ContractHarness.draft(text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("rules.yaml");
    }
    String longest = "x".repeat(200);
    assertThat(stores().tokens().create(Role.VIEWER, longest, Optional.empty(), ALICE)).isNotNull();
    assertThatThrownBy(
            () -> stores().tokens().create(Role.VIEWER, longest + "x", Optional.empty(), ALICE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("label");
  }

  private KeyOverride override(String rule, KeyRef key, Adjustment adjustment) {
    Instant now = database().now();
    return stores()
        .overrides()
        .set(rule, key, adjustment, now, now.plus(Duration.ofHours(2)), ALICE);
  }
}

package io.weir.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NewKeyCapTest {
  private static final int MAX_NEW_KEYS = 100;
  private static final String ADDRESS = "192.0.2.1";

  private final VirtualTime time = new VirtualTime();
  private final NewKeyCap newKeyCap = new NewKeyCap(MAX_NEW_KEYS, time);
  private final Pool pool = pool("rule");

  private static Pool pool(String rule) {
    return new Pool(rule, rule, "1", Limit.perSecond(10), false);
  }

  private Key keyFor(String address, Pool from, String user, Intent intent) {
    Draw draw = new Draw(from, Key.of(user), 1, Mode.ENFORCE, intent);
    List<Draw> draws = newKeyCap.capped(address, List.of(draw));
    assertThat(draws).hasSize(1);
    assertThat(draws.get(0).pool()).isSameAs(from);
    return draws.get(0).key();
  }

  private Key keyFor(String address, String user) {
    return keyFor(address, pool, user, Intent.TAKE);
  }

  /** The keys that draws of this many users end up with. */
  private Set<Key> keysFor(String address, String users, int count) {
    Set<Key> keys = new HashSet<>();
    for (int i = 0; i < count; i++) {
      keys.add(keyFor(address, users + i));
    }
    return keys;
  }

  @Test
  void eachKeyBelowTheCapHasItsOwnBucket() {
    assertThat(keysFor(ADDRESS, "user-", MAX_NEW_KEYS))
        .hasSize(MAX_NEW_KEYS)
        .contains(Key.of("user-99"));
    assertThat(newKeyCap.cappedDraws()).isZero();
  }

  @Test
  void keysAboveTheCapShareBuckets() {
    keysFor(ADDRESS, "user-", MAX_NEW_KEYS);

    Set<Key> others = keysFor(ADDRESS, "invented-", 10_000);

    assertThat(others).hasSize(NewKeyCap.SHARED);
    assertThat(others).allSatisfy(key -> assertThat(key.parts()).hasSize(3).contains(ADDRESS));
    assertThat(newKeyCap.cappedDraws()).isEqualTo(10_000);
  }

  @Test
  void theSameKeySharesTheSameBucketEveryTime() {
    keysFor(ADDRESS, "user-", MAX_NEW_KEYS);

    assertThat(keyFor(ADDRESS, "late")).isEqualTo(keyFor(ADDRESS, "late"));
  }

  @Test
  void knownKeysKeepTheirBucketsForEveryAddress() {
    keysFor(ADDRESS, "user-", MAX_NEW_KEYS);
    keysFor(ADDRESS, "invented-", 10_000);

    for (int i = 0; i < MAX_NEW_KEYS; i++) {
      assertThat(keyFor(ADDRESS, "user-" + i)).isEqualTo(Key.of("user-" + i));
      assertThat(keyFor("198.51.100.7", "user-" + i)).isEqualTo(Key.of("user-" + i));
    }
  }

  @Test
  void otherAddressesAndRulesAreNotAffected() {
    keysFor(ADDRESS, "invented-", 10_000);

    assertThat(keyFor("198.51.100.7", "user")).isEqualTo(Key.of("user"));
    assertThat(keyFor(ADDRESS, pool("other"), "user", Intent.TAKE)).isEqualTo(Key.of("user"));
  }

  @Test
  void sharedBucketsOfAddressesAreSeparate() {
    keysFor(ADDRESS, "invented-", MAX_NEW_KEYS);
    keysFor("198.51.100.7", "other-", MAX_NEW_KEYS);

    Set<Key> both = new HashSet<>(keysFor(ADDRESS, "more-", 10_000));
    both.addAll(keysFor("198.51.100.7", "more-", 10_000));

    assertThat(both).hasSize(2 * NewKeyCap.SHARED);
  }

  @Test
  void afterAMinuteNewKeysAreAdmittedAndKeysInUseStayKnown() {
    keysFor(ADDRESS, "user-", MAX_NEW_KEYS);
    for (int minute = 0; minute < 5; minute++) {
      time.advance(Duration.ofSeconds(61));
      assertThat(keysFor(ADDRESS, "minute-" + minute + "-", MAX_NEW_KEYS + 10_000))
          .hasSize(MAX_NEW_KEYS + NewKeyCap.SHARED);
      assertThat(keysFor(ADDRESS, "user-", MAX_NEW_KEYS))
          .contains(Key.of("user-0"))
          .hasSize(MAX_NEW_KEYS);
    }
  }

  @Test
  void looksDoNotCountAsNewKeys() {
    for (int i = 0; i < 10_000; i++) {
      assertThat(keyFor(ADDRESS, pool, "looked-at-" + i, Intent.LOOK))
          .isEqualTo(Key.of("looked-at-" + i));
    }

    assertThat(keysFor(ADDRESS, "user-", MAX_NEW_KEYS)).hasSize(MAX_NEW_KEYS);
  }
}

package io.weir.redis.script;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.weir.Key;
import io.weir.Limit;
import io.weir.limit.LimitDivision;
import io.weir.redis.StoreInstance;
import io.weir.store.Pool;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyNamesTest {
  private static final KeyNames NAMES = new KeyNames(new byte[0]);
  private static final KeyNames KEYED = new KeyNames("a secret".getBytes(UTF_8));

  private static final List<String> HOSTILE =
      List.of(
          "{",
          "}",
          "{}",
          "}{",
          "a}:b",
          "{user}",
          ":",
          "::",
          "%",
          "%003A",
          "a:b",
          "\n",
          "a\r\nDEL weir:1:*",
          "\0",
          "*",
          "ä",
          "\uD83D\uDE00",
          "\uD800",
          "weir:1:{x}:rule:t1",
          "\" 0 ; redis.call('FLUSHALL') --",
          "x".repeat(65_536),
          "{".repeat(65_536));

  private static Pool pool(String rule, String subject) {
    return new Pool(rule, rule, "1", Limit.parse("10/s"), false).withDimension(subject);
  }

  private static String name(KeyNames names, Pool pool, String... parts) {
    return new String(names.bucket(pool, Key.of(parts)), US_ASCII);
  }

  private static int slot(KeyNames names, Pool pool, String... parts) {
    return SlotHash.getSlot(names.bucket(pool, Key.of(parts)));
  }

  private static String tagOf(String text) throws Exception {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(digest, 16));
  }

  @Test
  void aNameIsVersionTagRuleLimitAndRest() throws Exception {
    // Literal names, since another instance, or this one after an upgrade, must find the same
    // keys.
    Pool payments = pool("payments", "user");
    assertThat(name(NAMES, payments, "42"))
        .isEqualTo("weir:1:{" + tagOf("user:42") + "}:payments:t1");
    assertThat(name(NAMES, payments, "42", "POST", "/a b"))
        .isEqualTo("weir:1:{" + tagOf("user:42") + "}:payments:t1:" + tagOf("POST:/a%0020b"));
    assertThat(name(NAMES, pool("whole-api", "")))
        .isEqualTo("weir:1:{" + tagOf("rule:whole-api") + "}:whole-api:t1");
  }

  @Test
  void reservationHasOneMarkerPerTag() throws Exception {
    List<byte[]> buckets =
        List.of(
            NAMES.bucket(pool("payments", "user"), Key.of("42")),
            NAMES.bucket(pool("by-ip", "ip"), Key.of("10.0.0.1")),
            NAMES.bucket(pool("refunds", "user"), Key.of("42")));
    assertThat(NAMES.markers(buckets, -1))
        .extracting(name -> new String(name, US_ASCII))
        .containsExactly(
            "weir:1:{" + tagOf("user:42") + "}:settled:ffffffffffffffff",
            "weir:1:{" + tagOf("ip:10.0.0.1") + "}:settled:ffffffffffffffff");
  }

  private static Pool shard(String rule, String subject, int shards, int number) {
    Limit limit = Limit.parse("1000/s");
    return pool(rule, subject)
        .sharded(LimitDivision.of(limit, shards), part -> 0)
        .shardedPool()
        .shard(number);
  }

  @Test
  void shardIsInTheTagAndAtTheEnd() throws Exception {
    assertThat(name(NAMES, shard("payments", "user", 8, 3), "42"))
        .isEqualTo("weir:1:{" + tagOf("user:42#3/8") + "}:payments:t1:3");
    assertThat(name(NAMES, shard("payments", "user", 8, 3), "42", "POST"))
        .isEqualTo("weir:1:{" + tagOf("user:42#3/8") + "}:payments:t1:" + tagOf("POST") + ":3");
    assertThat(name(NAMES, shard("whole-api", "", 16, 15)))
        .isEqualTo("weir:1:{" + tagOf("rule:whole-api#15/16") + "}:whole-api:t1:15");
  }

  @Test
  void shardsSpreadOverSlotsAndMeetThoseOfOtherRulesAboutTheSameUser() {
    Set<Integer> slots = new HashSet<>();
    for (int i = 0; i < 64; i++) {
      int slot = slot(NAMES, shard("a", "user", 64, i), "42");
      assertThat(slot(NAMES, shard("b", "user", 64, i), "42", "/x")).isEqualTo(slot);
      slots.add(slot);
    }
    assertThat(slots).hasSizeGreaterThan(60);
  }

  @Test
  void noValuePassesForAShard() {
    Set<String> names = new HashSet<>();
    for (String value : List.of("42", "42#3/8", "42%0023", "#3/8", "3/8", "#")) {
      names.add(name(NAMES, pool("rule", "user"), value));
      names.add(name(NAMES, shard("rule", "user", 8, 3), value));
      names.add(name(NAMES, shard("rule", "user", 16, 3), value));
    }
    assertThat(names).hasSize(18);
  }

  @Test
  void limitsOfOneRuleAndAlgorithmsHaveKeysOfTheirOwn() {
    Set<String> names = new HashSet<>();
    for (String limit : StoreInstance.LIMITS) {
      for (String slot : List.of("1", "2", "burst")) {
        Pool pool = new Pool("rule", "rule", slot, Limit.parse(limit), false);
        names.add(name(NAMES, pool, "42"));
      }
    }
    assertThat(names).hasSize(StoreInstance.LIMITS.size() * 3);
  }

  @Test
  void allRulesAboutOneUserShareASlot() {
    for (KeyNames names : List.of(NAMES, KEYED)) {
      for (int i = 0; i < 200; i++) {
        String user = "user-" + i;
        int slot = slot(names, pool("a", "user"), user);
        assertThat(slot(names, pool("b", "user"), user)).isEqualTo(slot);
        assertThat(slot(names, pool("c", "user"), user, "GET", "/x")).isEqualTo(slot);
        byte[] marker =
            names.markers(List.of(names.bucket(pool("a", "user"), Key.of(user))), i).get(0);
        assertThat(SlotHash.getSlot(marker)).isEqualTo(slot);
      }
    }
  }

  @Test
  void sameValueOfAnotherDimensionHasAnotherTag() {
    assertThat(name(NAMES, pool("rule", "user"), "42"))
        .isNotEqualTo(name(NAMES, pool("rule", "tenant"), "42"));
  }

  @Test
  void usersSpreadOverAllSlots() {
    long slots =
        IntStream.range(0, 50_000)
            .map(i -> slot(NAMES, pool("rule", "user"), "user-" + i))
            .distinct()
            .count();
    // 16,384 slots, of which e^(-50,000 / 16,384), about 5%, stay empty by chance.
    assertThat(slots).isBetween(15_400L, 15_800L);
  }

  @Test
  void noValueBreaksOutOfItsNameOrIsReadableThere() {
    for (String value : HOSTILE) {
      assertHarmless(NAMES, value);
      assertHarmless(KEYED, value);
    }
  }

  private static void assertHarmless(KeyNames names, String value) {
    String shape = "weir:1:\\{[-_A-Za-z0-9]{22}}:rule:t1";
    assertThat(name(names, pool("rule", "user"), value)).matches(shape);
    String rest = name(names, pool("rule", "user"), "42", value);
    assertThat(rest).matches(shape + ":[-_A-Za-z0-9]{22}");
    assertThat(rest).isNotEqualTo(name(names, pool("rule", "user"), "42", value + "x"));
    if (value.length() > 8) {
      assertThat(rest).doesNotContain(value);
    }
  }

  @Test
  void noTwoKeysShareAName() {
    Pool pool = pool("rule", "user");
    List<String> values =
        List.of("", "a", "b", ":", "a:b", "%", "%003A", "{", "\0", "a\0", "\uD800", "\uDC00", "?");
    Set<String> names = new HashSet<>();
    int keys = 1;
    names.add(name(NAMES, pool));
    for (String first : values) {
      names.add(name(NAMES, pool, first));
      keys++;
      for (String second : values) {
        names.add(name(NAMES, pool, first, second));
        keys++;
        for (String third : values) {
          names.add(name(NAMES, pool, first, second, third));
          keys++;
        }
      }
    }
    assertThat(names).hasSize(keys);
  }

  @Test
  void secretKeysTheHash() throws Exception {
    Pool pool = pool("rule", "user");
    KeyNames other = new KeyNames("another secret".getBytes(UTF_8));
    int same = 0;
    for (int i = 0; i < 1000; i++) {
      String user = "user-" + i;
      assertThat(name(KEYED, pool, user)).doesNotContain(tagOf("user:" + user));
      assertThat(name(KEYED, pool, user)).isNotEqualTo(name(other, pool, user));
      assertThat(name(KEYED, pool, user))
          .isEqualTo(name(new KeyNames("a secret".getBytes(UTF_8)), pool, user));
      same += slot(KEYED, pool, user) == slot(NAMES, pool, user) ? 1 : 0;
      same += slot(KEYED, pool, user) == slot(other, pool, user) ? 1 : 0;
    }
    assertThat(same).as("slots that are equal by chance").isLessThan(5);
  }

  @Test
  void secretScattersKeysChosenForOneSlot() {
    Pool pool = pool("rule", "user");
    List<String> users =
        IntStream.range(0, 300_000)
            .mapToObj(Integer::toString)
            .filter(user -> slot(NAMES, pool, user) == 7)
            .toList();
    assertThat(users).hasSizeGreaterThan(8);
    assertThat(users.stream().map(user -> slot(KEYED, pool, user)).distinct().count())
        .isGreaterThan(users.size() - 3);
  }

  /** More keys than the cache holds, of several rules, repeatedly. */
  @Test
  void cacheDoesNotReturnTheNameOfAnotherKey() {
    KeyNames names = new KeyNames(new byte[0]);
    List<Pool> pools = List.of(pool("one", "user"), pool("two", "user"), pool("one", "ip"));
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 70_000; i++) {
        Pool pool = pools.get(i % 3);
        Key key = Key.of("k" + i % 50_000);
        byte[] name = names.bucket(pool, key);
        if (i % 997 == round) {
          assertThat(name).isEqualTo(new KeyNames(new byte[0]).bucket(pool, key));
        }
      }
    }
  }
}

package io.weir.redis.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.link.Ring;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every write of every script sets a TTL, and no TTL is shorter than the state needs. */
class TimeToLiveTest {
  private static final List<String> CAN_LEND =
      List.of("10/h burst=100", "fixed-window 100/h", "sliding-window 100/h", "quota 100/month");

  private static final List<String> CANNOT_LEND =
      List.of("leaky-bucket 10/h queue=99", "sliding-log 100/h", "concurrency 100 permit_ttl=1h");

  private static final Pool NEVER = pool("0/s").withDimension("none");

  /** How long a key outlives its state, at least; Redis reports the TTL in whole ms. */
  private static final long SPARE_MILLIS = 1000 - 2;

  /** How long leases are counted. */
  private static final long LENT_MILLIS = 10_000;

  /** A ring of two, so that another node can refuse a call. */
  private static final List<RedisServer> RING = new ArrayList<>();

  private static RedisStore store;
  private static ContractCalls calls;
  private static int keys;

  private final Key key = Key.of("user-" + keys++);

  @BeforeAll
  static void start() {
    RING.add(RedisServer.start());
    RING.add(RedisServer.start());
    store = RedisStores.ready(RedisFixture.ringOf(RING), RedisStores.PATIENT);
    calls = new ContractCalls(store);
  }

  @AfterAll
  static void stop() {
    store.close();
    RING.forEach(RedisServer::close);
  }

  static Stream<String> canLend() {
    return CAN_LEND.stream();
  }

  static Stream<String> limits() {
    return Stream.concat(CAN_LEND.stream(), CANNOT_LEND.stream());
  }

  private static Pool pool(String limit) {
    Limit parsed = Limit.parse(limit);
    return new Pool("rule", "rule", "1", parsed, true).withDimension("user");
  }

  private static Pool beside(String limit) {
    return new Pool("beside", "beside", "1", Limit.parse(limit), true).withDimension("user");
  }

  private Draw draw(Pool pool, long amount, Intent intent) {
    return new Draw(pool, key, amount, Mode.ENFORCE, intent);
  }

  private Draw draw(Pool pool, long amount) {
    return draw(pool, amount, Intent.TAKE);
  }

  private long lifeMillis(Pool pool) {
    String name = new String(new KeyNames(new byte[0]).bucket(pool, key), UTF_8);
    return RING.stream()
        .mapToLong(node -> (Long) node.command("PTTL", name))
        .filter(life -> life != -2)
        .reduce(
            (one, other) -> {
              throw new AssertionError("two keys " + name);
            })
        .orElseThrow(() -> new AssertionError("no key " + name));
  }

  /**
   * The key outlives its state. The TTL is read first, so that time that passes here does not
   * matter.
   */
  private void assertLives(String after, Pool pool) {
    long life = lifeMillis(pool);
    Duration untilFull = calls.take(draw(pool, 1, Intent.LOOK)).statuses().get(0).reset();
    assertThat(untilFull).as("%s: in use", after).isPositive();
    assertThat(life).as(after).isGreaterThanOrEqualTo(untilFull.toMillis() + SPARE_MILLIS);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void keyLivesUntilItIsFullAfterAnyOperation(String limit) {
    Pool pool = pool(limit);
    Draw take = draw(pool, 3, Intent.HOLD);
    List<ReservedPart> first = calls.reserve(1, List.of(take));
    assertLives("a take", pool);
    List<ReservedPart> second = calls.reserve(2, List.of(take, draw(beside("100/s"), 1)));
    assertLives("a take beside a bucket", pool);
    List<ReservedPart> third = calls.reserve(3, List.of(take, draw(beside("sliding-log 9/s"), 1)));
    assertLives("a take beside a log", pool);
    calls.take(draw(pool, 100, Intent.HOLD));
    assertLives("a refusal that counts", pool);
    calls.take(take, draw(beside("0/s"), 1));
    assertLives("a refusal by another limit", pool);
    calls.settle(1, first.subList(0, 1), 1);
    assertLives("a settlement that gives back", pool);
    calls.settle(2, second.subList(0, 1), 200);
    assertLives("a settlement that charges", pool);
    calls.renew(3, third.subList(0, 1));
    assertLives("a renewal", pool);
    ContractCalls.get(store.refund(pool, key, 1));
    assertLives("a refund", pool);
    calls.release(2, second.subList(0, 1));
    assertLives("a release", pool);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void keyLivesUntilItIsFullAfterAGiveBack(String limit) {
    Pool pool = pool(limit);
    KeyNames names = new KeyNames(new byte[0]);
    Ring ring = new Ring(RING.stream().map(node -> node.host() + ":" + node.port()).toList());
    int here = ring.nodeOf(names.bucket(pool, key));
    Key elsewhere =
        Stream.iterate(0, n -> n + 1)
            .map(n -> Key.of("unused-" + n))
            .filter(other -> ring.nodeOf(names.bucket(NEVER, other)) != here)
            .findFirst()
            .orElseThrow();
    calls.take(draw(pool, 3, Intent.HOLD));
    Draw refused = new Draw(NEVER, elsewhere, 1, Mode.ENFORCE, Intent.TAKE);
    ContractCalls.get(store.reserve(9, List.of(draw(pool, 3, Intent.HOLD), refused)));
    assertLives("what was given back", pool);
  }

  @ParameterizedTest
  @MethodSource("canLend")
  void keyLivesAsLongAsItsLeases(String limit) {
    Pool pool = pool(limit);
    LeaseGrant one = lend(pool);
    assertLends("a lease", pool);
    LeaseGrant other = lend(pool);
    calls.take(draw(pool, 1));
    assertLends("a plain draw", pool);
    calls.take(draw(pool, 1), draw(beside("100/s"), 1));
    assertLends("a draw beside a bucket", pool);
    end(pool, one, 1);
    assertLends("the end of one lease of two", pool);
    end(pool, other, 1);
    assertLives("the end of the last lease", pool);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1000000/s burst=1000", "fixed-window 1000/1min aligned=true"})
  void endOfALeaseDoesNotExtendTheTtl(String limit) {
    Pool pool = pool(limit);
    LeaseGrant lent = lend(pool);
    long before = lifeMillis(pool);
    end(pool, lent, lent.lent());
    assertThat(lifeMillis(pool)).isBetween(1L, before);
  }

  /** With the instance clock a key lives a minute longer, as the clocks may differ. */
  @ParameterizedTest
  @EnumSource(RedisOptions.Clock.class)
  void endOfALeaseNeverRemovesTheTtl(RedisOptions.Clock clock) {
    Pool pool = pool("10/h burst=100");
    RedisOptions options = RedisOptions.of(RedisFixture.ringOf(RING)).timeout(RedisStores.PATIENT);
    try (RedisStore other = RedisStores.ready(options.clock(clock))) {
      Draw asking = draw(pool, 1).withLease(new LeaseReport(20, LeaseGrant.NONE, 0, 0, 5, 0));
      LeaseGrant lent = ContractCalls.get(other.take(List.of(asking))).grants().get(0);
      String name = new String(new KeyNames(new byte[0]).bucket(pool, key), UTF_8);
      RING.forEach(node -> node.command("PERSIST", name));
      ContractCalls.get(other.endLease(pool, key, new LeaseReport(20, lent, 0, 1, 0, 0)));
    }
    assertThat(lifeMillis(pool)).isPositive();
  }

  private LeaseGrant lend(Pool pool) {
    Draw asking = draw(pool, 1).withLease(new LeaseReport(20, LeaseGrant.NONE, 0, 0, 5, 0));
    LeaseGrant grant = calls.take(asking).grants().get(0);
    assertThat(grant.lent()).isPositive();
    return grant;
  }

  private void end(Pool pool, LeaseGrant lease, long back) {
    ContractCalls.get(store.endLease(pool, key, new LeaseReport(20, lease, 0, back, 0, 0)));
  }

  private void assertLends(String after, Pool pool) {
    assertThat(lifeMillis(pool)).as(after).isGreaterThan(LENT_MILLIS);
    assertLives(after, pool);
  }

  /** Scripts can write with these commands only, and only with a TTL. */
  @Test
  void everySetInEveryScriptHasATtl() {
    Pattern command = Pattern.compile("call\\('([A-Z]+)'(?=([^\\n]*))");
    int sets = 0;
    for (Script script : Script.values()) {
      String text = new String(script.text(), UTF_8).replaceAll("--[^\\n]*", "");
      List<MatchResult> found = command.matcher(text).results().toList();
      assertThat(text.split("\\bp?call\\(", -1)).as(script.name()).hasSize(found.size() + 1);
      assertThat(found)
          .as(script.name())
          .extracting(call -> call.group(1))
          .isSubsetOf("TIME", "GET", "MGET", "SET", "DEL", "PTTL");
      for (MatchResult call : found) {
        if (call.group(1).equals("SET")) {
          assertThat(call.group(2)).as(script.name()).containsPattern("'(EX|PX)', [a-z]");
          sets++;
        }
      }
    }
    assertThat(sets).isGreaterThanOrEqualTo(Script.values().length);
  }
}

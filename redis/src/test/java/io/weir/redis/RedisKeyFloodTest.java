package io.weir.redis;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.engine.Engine;
import io.weir.redis.fixture.RedisStores;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.process.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A flood of invented keys from one address does not fill Redis, and affects no other address. */
class RedisKeyFloodTest {
  private static final int MAX_NEW_KEYS = 50;
  private static final int SHARED = 64;
  private static RedisServer redis;
  private static Engine engine;

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
    engine =
        Engine.builder()
            .rules(RuleSet.of(Rule.named("users").key("user").limit(Limit.perHour(10)).build()))
            .store(RedisStores.ready(redis.uri(), PATIENT))
            .newKeysPerAddress(MAX_NEW_KEYS)
            .build();
  }

  @AfterAll
  static void stop() {
    engine.close();
    redis.close();
  }

  private static Decision check(String address, String user) {
    return engine.check(Call.of("GET", "/").with("ip", address).with("user", user));
  }

  private static int keys() {
    return ((List<?>) redis.command("KEYS", "weir:1:*:users:*")).size();
  }

  @Test
  void oneAddressCanCreateOnlyALimitedNumberOfKeys() {
    assertThat(check("198.51.100.7", "alice").allowed()).isTrue();

    long allowed = 0;
    for (int i = 0; i < 3000; i++) {
      allowed += check("192.0.2.1", "invented-" + i).allowed() ? 1 : 0;
    }

    assertThat(keys()).isEqualTo(1 + MAX_NEW_KEYS + SHARED);
    // Each of the shared buckets has the rule's limit.
    assertThat(allowed).isEqualTo(MAX_NEW_KEYS + SHARED * 10L);
    // Known keys, and keys from other addresses, have their own buckets.
    Decision known = check("192.0.2.1", "alice");
    assertThat(known.allowed()).isTrue();
    assertThat(known.deciding().orElseThrow().remaining()).isEqualTo(8);
    assertThat(check("198.51.100.7", "bob").deciding().orElseThrow().remaining()).isEqualTo(9);
    assertThat(engine.newKeyCap().cappedDraws()).isEqualTo(3000 - MAX_NEW_KEYS);
  }
}

package io.weir.redis.doctor;

import static io.weir.redis.doctor.DoctorFixture.assertHealthy;
import static io.weir.redis.doctor.DoctorFixture.examine;
import static io.weir.redis.doctor.DoctorFixture.only;
import static io.weir.redis.doctor.DoctorFixture.patient;
import static io.weir.redis.doctor.DocumentedAcl.FOR_DOCTOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisCommandExecutionException;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Clock;
import io.weir.redis.RedisOptions.Credentials;
import io.weir.redis.RedisOptions.Tls;
import io.weir.redis.call.RedisErrors;
import io.weir.redis.doctor.Finding.Grade;
import io.weir.testkit.process.RedisBinary;
import io.weir.testkit.process.RedisServer;
import io.weir.testkit.process.SlowProxy;
import io.weir.testkit.process.TlsFiles;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Findings of the doctor about real servers, healthy and broken. */
@Timeout(120)
@Tag("process")
class DoctorTest {
  /** The documented rights, and one that the doctor needs. */
  static final String RIGHTS = String.join(" ", DocumentedAcl.RULES) + " +ping";

  @Test
  void findsNothingWrongWithAHealthyRedis() {
    try (RedisServer redis = RedisServer.start()) {
      List<Finding> findings = examine(patient(redis.uri()));

      assertHealthy(findings);
      assertThat(findings)
          .extracting(Finding::check)
          .containsExactly(
              "reach",
              "version",
              "role",
              "rights",
              "script time",
              "clock",
              "latency",
              "eviction",
              "memory",
              "persistence");
      assertThat(only(findings, "version").text())
          .isIn("Redis " + redis.binary().version(), "Valkey " + redis.binary().version());
      assertThat(only(findings, "latency").text())
          .matches("PING p50 [0-9.]+ ms, p99 [0-9.]+ ms; a decision p50 [0-9.]+ ms, p99 .* ms");
      assertThat(findings).allMatch(f -> f.where().equals("127.0.0.1:" + redis.port()));
      await().until(() -> redis.command("DBSIZE").equals(0L));
    }
  }

  @Test
  void findsNothingWrongWithRedis62() {
    try (RedisServer redis = RedisServer.builder().binary(RedisBinary.oldest()).start()) {
      List<Finding> findings = examine(patient(redis.uri()));

      assertHealthy(findings);
      assertThat(only(findings, "version").text()).startsWith("Redis 6.2.");
    }
  }

  @Test
  void reportsATooOldVersion() {
    assertThat(NodeInfo.parse("# Server\r\nredis_version:6.0.16\r\n").isAtLeast(6, 2)).isFalse();
    assertThat(NodeInfo.parse("redis_version:5.0.7").isAtLeast(6, 2)).isFalse();
    assertThat(NodeInfo.parse("redis_version:6.2.0").isAtLeast(6, 2)).isTrue();
    assertThat(NodeInfo.parse("redis_version:7.2.4").isAtLeast(6, 2)).isTrue();
    assertThat(NodeInfo.parse("redis_version:unstable").isAtLeast(6, 2)).isFalse();
  }

  @Test
  void reportsARefusedConnection() {
    try (RedisServer redis = RedisServer.start()) {
      redis.kill();
      Finding reach = only(examine(patient(redis.uri())), "reach");

      assertThat(reach.grade()).isEqualTo(Grade.FAIL);
      assertThat(reach.text()).startsWith("connection refused");
      assertThat(reach.advice()).isNotEmpty();
    }
  }

  @Test
  void reportsAnUnknownHostName() {
    Finding reach = only(examine(patient("redis://no-such-host.invalid")), "reach");

    assertThat(reach.text()).startsWith("unknown host name").contains("no-such-host.invalid");
    assertThat(reach.advice()).contains("is the address right?");
  }

  @Test
  void reportsAFrozenRedis() {
    try (RedisServer redis = RedisServer.start()) {
      redis.freeze();
      assertThat(only(examine(patient(redis.uri())), "reach").grade()).isEqualTo(Grade.FAIL);
    }
  }

  @Test
  void distinguishesAMissingPasswordFromAWrongOne() {
    try (RedisServer redis = RedisServer.builder().password("right").start()) {
      RedisOptions options = patient(redis.uri());
      Finding missing = only(examine(options), "reach");
      Finding wrong = only(examine(options.credentials(new Credentials("", "wrong"))), "reach");

      assertThat(missing.grade()).isEqualTo(Grade.FAIL);
      assertThat(missing.advice()).contains("requires a password");
      assertThat(wrong.text()).startsWith("WRONGPASS");
      assertThat(wrong.advice()).contains("correct store.redis.user");
      assertHealthy(examine(options.credentials(new Credentials("", "right"))));
    }
    try (RedisServer redis = RedisServer.start()) {
      RedisOptions options = patient(redis.uri()).credentials(new Credentials("", "needless"));
      assertThat(only(examine(options), "reach").advice()).contains("correct store.redis.user");
    }
  }

  @Test
  void adviceFollowsFromTheErrorOfRedis() {
    try (RedisServer redis = RedisServer.start()) {
      assertThat(only(examine(patient(redis.uri() + "/99")), "reach").advice())
          .isEqualTo("use a database number that exists");
    }
    Throwable error = new RedisCommandExecutionException("ERR max number of clients reached");
    assertThat(RedisErrors.advice(error, patient("redis://localhost")))
        .endsWith("its configuration");
  }

  @Test
  void aUserWithTheDocumentedRightsIsEnough() {
    for (RedisBinary binary : List.of(RedisBinary.find(), RedisBinary.oldest())) {
      try (RedisServer redis =
          RedisServer.builder().binary(binary).acl("user weir on >secret " + RIGHTS).start()) {
        List<Finding> findings = examine(as("weir", redis));

        assertThat(findings).noneMatch(finding -> finding.grade() == Grade.FAIL);
        assertThat(findings)
            .filteredOn(finding -> finding.grade() == Grade.WARN)
            .extracting(Finding::check)
            .containsExactly("info");
        redis.command(("ACL SETUSER weir " + String.join(" ", FOR_DOCTOR)).split(" "));
        List<Finding> healthy = examine(as("weir", redis));
        assertHealthy(healthy);
        assertThat(only(healthy, "rights").text().replace("may ", "").split(", "))
            .as("what is tried is what is documented")
            .containsExactlyInAnyOrderElementsOf(triedOf(DocumentedAcl.RULES));
      }
    }
  }

  /** The commands as the doctor spells them; the right to name the connection may be missing. */
  private static List<String> triedOf(List<String> rules) {
    return DocumentedAcl.commands(rules).stream()
        .filter(command -> !command.equals("client|setname"))
        .map(command -> command.replace('|', ' ').toUpperCase(Locale.ROOT))
        .toList();
  }

  private static RedisOptions as(String user, RedisServer redis) {
    return patient(redis.uri()).credentials(new Credentials(user, "secret"));
  }

  @Test
  void namesTheRightsThatAreMissingAndHowToGrantThem() {
    try (RedisServer redis =
        RedisServer.builder()
            .acl(
                "user weir on >secret " + RIGHTS + " +info -set -evalsha",
                "user other on >secret " + RIGHTS + " +info resetkeys ~other:*")
            .start()) {
      Finding commands = only(examine(as("weir", redis)), "rights");
      Finding keys = only(examine(as("other", redis)), "rights");

      assertThat(commands.grade()).isEqualTo(Grade.FAIL);
      assertThat(commands.text()).startsWith("may not SET, EVALSHA: NOPERM");
      assertThat(commands.advice()).endsWith("ACL SETUSER weir +set +evalsha");
      assertThat(keys.text())
          .startsWith("may not SET, GET, MGET, PTTL, DEL, EVAL, EVALSHA: NOPERM");
      assertThat(keys.advice())
          .endsWith("ACL SETUSER other " + DocumentedAcl.RULES.get(0))
          .endsWith("~weir:*");
      redis.command("ACL", "SETUSER", "weir", "+set", "+evalsha");
      assertHealthy(examine(as("weir", redis)));
    }
  }

  @Test
  void advisesTheInstanceClockIfScriptsMayNotReadTime() {
    try (RedisServer redis =
        RedisServer.builder().acl("user weir on >secret " + RIGHTS + " +info -time").start()) {
      List<Finding> onStoreClock = examine(as("weir", redis));
      List<Finding> onInstanceClock = examine(as("weir", redis).clock(Clock.INSTANCE));

      assertThat(only(onStoreClock, "rights").advice())
          .contains("ACL SETUSER weir +time")
          .endsWith("set store.redis.clock: instance");
      assertThat(only(onInstanceClock, "rights").grade()).isEqualTo(Grade.OK);
      assertThat(only(onInstanceClock, "rights").text()).doesNotContain("TIME");
      assertThat(only(onInstanceClock, "script time").grade()).isEqualTo(Grade.OK);
      assertThat(only(onInstanceClock, "clock").grade()).isEqualTo(Grade.WARN);
      assertThat(only(onInstanceClock, "clock").advice()).contains("NTP");
      assertThat(only(onInstanceClock, "latency").text()).contains("a decision");
      redis.command("ACL", "SETUSER", "weir", "+time");
      assertThat(only(examine(as("weir", redis).clock(Clock.INSTANCE)), "rights").text())
          .contains("TIME");
    }
    try (RedisServer redis = RedisServer.builder().config("rename-command TIME \"\"").start()) {
      Finding rights = only(examine(patient(redis.uri())), "rights");
      assertThat(rights.grade()).isEqualTo(Grade.FAIL);
      assertThat(rights.text()).contains("may not TIME: ").contains("unknown command");
      assertThat(rights.advice()).contains("clock: instance");
    }
  }

  @Test
  void warnsOfAPolicyThatEvictsLimitsInUse() {
    try (RedisServer redis =
        RedisServer.builder()
            .config("maxmemory 50mb")
            .config("maxmemory-policy allkeys-lru")
            .start()) {
      Finding eviction = only(examine(patient(redis.uri())), "eviction");
      assertThat(eviction.grade()).isEqualTo(Grade.WARN);
      assertThat(eviction.text()).contains("allkeys-lru");

      redis.command("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
      assertThat(only(examine(patient(redis.uri())), "eviction").grade()).isEqualTo(Grade.WARN);
      redis.command("CONFIG", "SET", "maxmemory-policy", "volatile-ttl");
      assertThat(only(examine(patient(redis.uri())), "eviction").grade()).isEqualTo(Grade.OK);
    }
  }

  @Test
  void warnsBeforeMemoryRunsOutAndFailsWhenItHas() {
    try (RedisServer redis = RedisServer.start()) {
      long used = Long.parseLong(redis.info("used_memory"));
      redis.command("CONFIG", "SET", "maxmemory", Long.toString(used * 10 / 9));
      assertThat(only(examine(patient(redis.uri())), "memory").grade()).isEqualTo(Grade.WARN);

      redis.command("CONFIG", "SET", "maxmemory", "100kb");
      Finding write = only(examine(patient(redis.uri())), "write");
      assertThat(write.grade()).isEqualTo(Grade.FAIL);
      assertThat(write.text()).contains("OOM");
      assertThat(write.advice()).contains("maxmemory");
    }
  }

  @Test
  void failsOnAReplica() {
    try (RedisServer primary = RedisServer.start();
        RedisServer replica =
            RedisServer.builder().config("replicaof 127.0.0.1 " + primary.port()).start()) {
      Finding role = only(examine(patient(replica.uri())), "role");

      assertThat(role.grade()).isEqualTo(Grade.FAIL);
      assertThat(role.advice()).startsWith("use the address of the primary");
    }
  }

  @Test
  void warnsOfALargeClockOffset() {
    try (RedisServer redis = RedisServer.start()) {
      TimeSource anHourAhead =
          new TimeSource() {
            @Override
            public long micros() {
              return SystemTime.INSTANCE.micros();
            }

            @Override
            public long wallMicros() {
              return SystemTime.INSTANCE.wallMicros() + Duration.ofHours(1).toNanos() / 1000;
            }

            @Override
            public CompletableFuture<Void> delay(Duration delay) {
              return SystemTime.INSTANCE.delay(delay);
            }
          };
      Finding clock = only(Doctor.examine(patient(redis.uri()), anHourAhead), "clock");

      assertThat(clock.grade()).isEqualTo(Grade.WARN);
      assertThat(clock.text()).containsPattern("3(600|599).*behind this machine");
      assertThat(only(examine(patient(redis.uri())), "clock").grade()).isEqualTo(Grade.OK);
    }
  }

  @Test
  void distinguishesARenamedCommandFromAFailedWrite() {
    try (RedisServer redis = RedisServer.builder().config("rename-command EVALSHA \"\"").start()) {
      List<Finding> findings = examine(RedisOptions.of(redis.uri()));

      Finding rights = only(findings, "rights");
      assertThat(rights.grade()).isEqualTo(Grade.FAIL);
      assertThat(rights.text()).contains("may not EVALSHA: ").contains("unknown command");
      assertThat(rights.advice()).contains("restore the original command names");
      assertThat(findings).noneMatch(finding -> finding.check().equals("write"));
    }
  }

  @Test
  void warnsIfTwoRoundTripsExceedTheTimeout() {
    try (RedisServer redis = RedisServer.start();
        SlowProxy far = SlowProxy.before(redis)) {
      far.delay(Duration.ofMillis(3), Duration.ofMillis(3));
      Finding latency = only(examine(RedisOptions.of(far.uri())), "latency");

      assertThat(latency.grade()).isEqualTo(Grade.WARN);
      assertThat(latency.text()).endsWith("the timeout is 10.00 ms");
      assertThat(latency.advice()).contains("store.redis.timeout");
    }
  }

  @Test
  void reportsTlsFailures() {
    try (TlsFiles files = TlsFiles.create();
        TlsFiles others = TlsFiles.create();
        RedisServer redis = RedisServer.builder().mutualTls(files).start()) {
      RedisOptions options = patient("rediss://localhost:" + redis.tlsPort());
      Tls right =
          new Tls(
              Optional.of(files.ca()),
              Optional.of(files.clientCertificate()),
              Optional.of(files.clientKey()));
      Tls wrong = new Tls(Optional.of(others.ca()), Optional.empty(), Optional.empty());

      assertHealthy(examine(options.tls(right)));
      assertThat(only(examine(options.tls(right)), "reach").text()).contains("over TLS");
      Finding reach = only(examine(options.tls(wrong)), "reach");
      assertThat(reach.grade()).isEqualTo(Grade.FAIL);
      assertThat(reach.text()).startsWith("TLS failed");
      assertThat(reach.advice()).contains("tls.ca");
      assertThat(only(examine(patient("redis://localhost:" + redis.tlsPort())), "reach").advice())
          .contains("rediss://");
    }
  }

  @Test
  void reportsUnusableCertificateFiles(@TempDir Path folder) throws IOException {
    Path nonsense = Files.writeString(folder.resolve("ca.crt"), "nonsense");
    for (Path file : List.of(nonsense, folder.resolve("missing.crt"))) {
      Tls tls = new Tls(Optional.of(file), Optional.empty(), Optional.empty());
      List<Finding> findings = examine(patient("rediss://localhost").tls(tls));

      assertThat(only(findings, "encryption").grade()).isEqualTo(Grade.FAIL);
      assertThat(only(findings, "encryption").text()).contains(file.toString());
      assertThat(only(findings, "encryption").advice()).contains("tls.ca");
    }
  }

  @Test
  void checksEveryNodeOfARing() {
    try (RedisServer one = RedisServer.start();
        RedisServer other = RedisServer.start()) {
      other.kill();
      List<Finding> findings =
          examine(patient("redis-ring://127.0.0.1:" + one.port() + ",127.0.0.1:" + other.port()));

      assertThat(findings)
          .filteredOn(finding -> finding.check().equals("reach"))
          .extracting(Finding::grade)
          .containsExactly(Grade.OK, Grade.FAIL);
    }
  }
}

package io.weir.redis.link;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Tls;
import io.weir.redis.RedisStore;
import io.weir.redis.doctor.Doctor;
import io.weir.redis.doctor.Finding;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.fixture.StoreLoad;
import io.weir.store.TakeResult;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisSentinels;
import io.weir.testkit.process.RedisServer;
import io.weir.testkit.process.TlsFiles;
import io.weir.time.SystemTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Redis over TLS: with valid certificates it works as usual, with invalid ones it is unavailable.
 */
@Tag("process")
class TlsTest {
  private static TlsFiles files;
  private static RedisServer redis;

  @BeforeAll
  static void start() {
    files = TlsFiles.create();
    redis = RedisServer.builder().mutualTls(files).start();
  }

  @AfterAll
  static void stop() {
    redis.close();
    files.close();
  }

  private static RedisOptions options(RedisServer server, Tls tls) {
    return RedisOptions.of("rediss://127.0.0.1:" + server.tlsPort()).timeout(PATIENT).tls(tls);
  }

  private static Tls trusting(Path authority) {
    return new Tls(Optional.of(authority), Optional.empty(), Optional.empty());
  }

  private static void assertServed(RedisOptions options) {
    try (RedisStore store = RedisStores.ready(options)) {
      TakeResult result = ContractCalls.get(store.take(List.of(one(plenty("tls"), "key"))));
      assertThat(result.taken()).isTrue();
    }
  }

  private static void assertAway(RedisOptions options) {
    try (RedisStore store = RedisStore.open(options, SystemTime.INSTANCE);
        StoreLoad load = StoreLoad.on(store, n -> List.of(one(plenty("tls"), "key")))) {
      // Long enough for a handshake.
      load.awaitUnanswered(300);
      ContractCalls.get(SystemTime.INSTANCE.delay(Duration.ofMillis(500)));
      load.awaitUnanswered(1).stop().assertKept(PATIENT);
      assertThat(load.answered()).isZero();
      assertThat(store.ready().toCompletableFuture()).isNotDone();
    }
  }

  @Test
  void customAuthorityIsTrustedAndClientCertificatePresented() {
    Tls mutual =
        new Tls(
            Optional.of(files.ca()),
            Optional.of(files.clientCertificate()),
            Optional.of(files.clientKey()));
    assertServed(options(redis, mutual));
  }

  @Test
  void sentinelsAreQueriedOverTlsToo() {
    try (RedisSentinels sentinels = RedisSentinels.start(1, files)) {
      String address = RedisSentinels.MASTER_NAME + "@" + sentinels.addresses();
      RedisOptions options =
          RedisOptions.of("rediss-sentinel://" + address)
              .timeout(PATIENT)
              .tls(trusting(files.ca()));
      assertServed(options);
      assertThat(Doctor.examine(options, SystemTime.INSTANCE))
          .noneMatch(finding -> finding.grade() == Finding.Grade.FAIL)
          .filteredOn(finding -> finding.check().equals("sentinel"))
          .hasSize(3)
          .allMatch(finding -> finding.grade() == Finding.Grade.OK);
    }
  }

  @Test
  void clusterIsUsedOverTls() {
    try (RedisCluster cluster = RedisCluster.builder().tls(files).start()) {
      RedisOptions options =
          RedisOptions.of("rediss-cluster://127.0.0.1:" + cluster.nodes().get(0).tlsPort())
              .timeout(PATIENT)
              .tls(trusting(files.ca()));
      assertServed(options);
    }
  }

  @Test
  void missingClientCertificateMakesTheStoreUnavailable() {
    assertAway(options(redis, trusting(files.ca())));
  }

  @Test
  void certificateOfAnotherAuthorityIsRejected() {
    assertAway(options(redis, trusting(files.clientCertificate())));
    assertAway(options(redis, Tls.PLATFORM));
  }

  @Test
  void clientCertificateIsOptionalIfRedisDoesNotRequireIt() {
    try (RedisServer lenient = RedisServer.builder().tls(files).start()) {
      assertServed(options(lenient, trusting(files.ca())));
    }
  }

  @Test
  void certificateForAnotherHostIsRejected() {
    try (RedisServer other =
        RedisServer.builder()
            .tls(files)
            .config("tls-cert-file " + files.clientCertificate())
            .config("tls-key-file " + files.clientKey())
            .start()) {
      assertAway(options(other, trusting(files.ca())));
    }
  }

  @Test
  void missingFilesAreReportedAtOnce() {
    RedisOptions nowhere = options(redis, trusting(Path.of("/nowhere/ca.crt")));
    assertThatThrownBy(() -> RedisStore.open(nowhere, SystemTime.INSTANCE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("/nowhere/ca.crt");
  }

  @Test
  void invalidFilesAreReportedAtOnce() {
    RedisOptions wrong = options(redis, trusting(files.serverKey()));
    assertThatThrownBy(() -> RedisStore.open(wrong, SystemTime.INSTANCE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(files.serverKey().toString());
  }
}

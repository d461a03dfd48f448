package io.weir.redis.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisStores;
import io.weir.store.Store;
import io.weir.store.memory.MemoryStore;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import io.weir.time.VirtualTime;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The number of instances that each instance counts. */
class FleetMembershipTest {
  private final VirtualTime time = new VirtualTime();
  private final MemoryStore store = MemoryStore.builder().time(time).build();
  private boolean away;

  /** The store, which fails while it is unavailable. */
  private Store mayFail() {
    return (Store)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              if (away) {
                return CompletableFuture.failedFuture(new IllegalStateException("away"));
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private FleetMembership join() {
    return FleetMembership.join(mayFail(), time, 3);
  }

  private void pass(int seconds) {
    for (int i = 0; i < 10 * seconds; i++) {
      time.advance(Duration.ofMillis(100));
    }
  }

  @Test
  void assumedNumberIsInForceUntilFirstCount() {
    away = true;
    FleetMembership fleet = join();
    pass(30);

    assertThat(fleet.instances()).isEqualTo(3);

    away = false;
    pass(3);
    assertThat(fleet.instances()).isEqualTo(1);
  }

  @Test
  void joiningCountsWithinSecondsAndLeavingAfterExpiry() {
    FleetMembership one = join();
    FleetMembership other = join();
    FleetMembership third = join();
    pass(5);
    assertThat(one.instances()).isEqualTo(3);
    assertThat(other.instances()).isEqualTo(3);

    third.close();
    pass(5);
    assertThat(one.instances()).isEqualTo(3);
    pass(15);
    assertThat(one.instances()).isEqualTo(2);
  }

  @Test
  void lastNumberIsInForceDuringOutageAndWhileInstancesRejoin() {
    FleetMembership one = join();
    FleetMembership other = join();
    pass(5);
    away = true;
    pass(600); // all permits have expired by then
    assertThat(one.instances()).isEqualTo(2);

    away = false;
    for (int i = 0; i < 50; i++) {
      time.advance(Duration.ofMillis(100));
      assertThat(one.instances()).isEqualTo(2);
      assertThat(other.instances()).isEqualTo(2);
    }
  }

  @Test
  void countsInstancesOnRealRedis() {
    try (RedisServer redis = RedisServer.start();
        RedisStore shared = RedisStores.ready(redis.uri(), RedisStores.PATIENT);
        FleetMembership one = FleetMembership.join(shared, SystemTime.INSTANCE, 1);
        FleetMembership other = FleetMembership.join(shared, SystemTime.INSTANCE, 1)) {
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> one.instances() == 2 && other.instances() == 2);
    }
  }
}

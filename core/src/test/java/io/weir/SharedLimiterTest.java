package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.store.ForwardingStore;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** A limiter by key on a store that it does not own. */
class SharedLimiterTest {
  private final VirtualTime time = new VirtualTime();
  private final MemoryStore memory = MemoryStore.builder().time(time).build();

  private SharedLimiter limiter(Limit limit) {
    return Limiter.on(memory).limit(limit).name("logins").time(time).build();
  }

  @Test
  void countsEveryKeyByItself() {
    SharedLimiter limiter = limiter(Limit.perMinute(2));

    assertThat(limiter.tryAcquire("a", 2)).isTrue();
    assertThat(limiter.tryAcquire("a")).isFalse();
    assertThat(limiter.check("b").remaining()).isEqualTo(1);
    assertThat(limiter.check("a").retryAfter()).contains(Duration.ofSeconds(30));
    assertThat(limiter.look("b").deciding().orElseThrow().rule()).isEqualTo("logins");
  }

  @Test
  void limitersOfOneNameShareTheirBuckets() {
    assertThat(limiter(Limit.perMinute(2)).tryAcquire("a", 2)).isTrue();
    assertThat(limiter(Limit.perMinute(2)).tryAcquire("a")).isFalse();
  }

  @Test
  void acquireWaitsAtMostMaxWait() {
    SharedLimiter limiter = limiter(Limit.perMinute(1));
    limiter.check("a");

    CompletableFuture<Void> later =
        limiter.acquireAsync("a", 1, Duration.ofMinutes(1)).toCompletableFuture();
    assertThatThrownBy(() -> limiter.acquire("a", 1, Duration.ofSeconds(59)))
        .isInstanceOf(LimitExceededException.class);

    assertThat(later).isNotDone();
    time.advance(Duration.ofMinutes(1));
    assertThat(later).isCompleted();
  }

  @Test
  void acquireWithoutACostTakesOne() throws InterruptedException {
    SharedLimiter limiter = limiter(Limit.perMinute(2));

    limiter.acquire("a", Duration.ZERO);
    assertThat(limiter.look("a").remaining()).isEqualTo(1);
    assertThat(limiter.acquireAsync("a", Duration.ZERO)).isCompleted();
    assertThat(limiter.look("a").remaining()).isZero();

    assertThatThrownBy(() -> limiter.acquire("a", Duration.ofSeconds(29)))
        .isInstanceOf(LimitExceededException.class);
    assertThat(limiter.acquireAsync("a", Duration.ofSeconds(29)).toCompletableFuture())
        .isCompletedExceptionally();
  }

  @Test
  void interruptedAcquireTakesNothing() {
    SharedLimiter limiter = limiter(Limit.perMinute(1));
    limiter.check("a");

    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> limiter.acquire("a", Duration.ofMinutes(2)))
        .isInstanceOf(InterruptedException.class);

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    time.advance(Duration.ofMinutes(1));
    assertThat(limiter.look("a").remaining()).isEqualTo(1);
  }

  @Test
  void cancelledAcquireGivesBackItsPlaceInTheQueue() {
    SharedLimiter limiter = limiter(Limit.leakyBucket(1, Duration.ofSeconds(1)).queue(5));
    limiter.check("a");

    CompletableFuture<Void> waiting =
        limiter.acquireAsync("a", Duration.ofMinutes(1)).toCompletableFuture();
    assertThat(waiting).isNotDone();
    waiting.cancel(false);

    assertThat(limiter.check("a").delay()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void acquireFailsIfTheLimiterIsClosedWhileItWaits() {
    SharedLimiter limiter = limiter(Limit.perMinute(1));
    limiter.check("a");
    CompletableFuture<Void> waiting =
        limiter.acquireAsync("a", Duration.ofMinutes(2)).toCompletableFuture();

    limiter.close();
    time.advance(Duration.ofMinutes(1));

    assertThat(waiting)
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void givesBackAPlaceInAQueueThatIsTooLong() {
    SharedLimiter limiter = limiter(Limit.leakyBucket(1, Duration.ofSeconds(1)).queue(5));
    assertThat(limiter.check("a").delay()).isZero();

    assertThatThrownBy(() -> limiter.acquire("a", 1, Duration.ofMillis(500)))
        .isInstanceOf(LimitExceededException.class);

    assertThat(limiter.check("a").delay()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void holdsPermitsByReservationOnly() {
    SharedLimiter limiter = limiter(Limit.concurrency(1));

    assertThatThrownBy(() -> limiter.tryAcquire("a"))
        .isInstanceOf(UnsupportedOperationException.class);
    String held = limiter.reserve("a", 1).reservation().orElseThrow();
    assertThat(limiter.reserve("a", 1).allowed()).isFalse();
    assertThat(limiter.renew(held)).isEqualTo(SettlementResult.DONE);
    assertThat(limiter.release(held)).isEqualTo(SettlementResult.DONE);
    assertThat(limiter.reserve("a", 1).allowed()).isTrue();
  }

  @Test
  void leavesTheStoreOpen() {
    boolean[] closed = {false};
    ForwardingStore store =
        new ForwardingStore(memory) {
          @Override
          public void close() {
            closed[0] = true;
          }
        };

    Limiter.on(store).limit(Limit.perMinute(2)).time(time).build().close();

    assertThat(closed[0]).isFalse();
  }
}

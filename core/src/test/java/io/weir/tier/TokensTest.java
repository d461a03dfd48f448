package io.weir.tier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The tokens of a lease, by one thread and by many. */
class TokensTest {
  private static final int THREADS = 6;

  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final Tokens tokens = new Tokens(true);

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  /** Lets threads collide until the tokens lie in several places. */
  private void scatter() throws Exception {
    long before = tokens.left();
    List<Future<?>> done = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      done.add(
          threads.submit(
              () -> {
                for (int n = 0; n < 200_000; n++) {
                  long receipt = tokens.take(1);
                  if (receipt != Tokens.NOTHING) {
                    tokens.putBack(1, receipt);
                  }
                }
              }));
    }
    for (Future<?> each : done) {
      each.get(60, TimeUnit.SECONDS);
    }
    assertThat(tokens.left()).isEqualTo(before);
  }

  @Test
  void oneThreadSeesEveryTokenItHas() {
    tokens.exchange(0, 10);

    long receipt = tokens.take(3);

    assertThat(tokens.leftAfter(receipt)).isEqualTo(7);
    assertThat(tokens.left()).isEqualTo(7);
    assertThat(tokens.take(8)).isEqualTo(Tokens.NOTHING);
  }

  @Test
  void whatIsPutBackInItsTermIsHandedOutAgain() {
    tokens.exchange(0, 10);

    tokens.putBack(4, tokens.take(4));

    assertThat(tokens.left()).isEqualTo(10);
    assertThat(tokens.late()).isZero();
  }

  @Test
  void whatIsPutBackLaterIsKeptAside() {
    tokens.exchange(0, 10);
    long receipt = tokens.take(4);

    assertThat(tokens.beginTerm()).isEqualTo(6);
    tokens.putBack(4, receipt);

    assertThat(tokens.left()).isEqualTo(6);
    assertThat(tokens.takeLate()).isEqualTo(4);
    assertThat(tokens.late()).isZero();
  }

  @Test
  void whatIsWorthlessAfterItsTermIsLetGo() {
    Tokens windows = new Tokens(false);
    windows.exchange(0, 10);
    long receipt = windows.take(4);
    windows.beginTerm();

    windows.putBack(4, receipt);

    assertThat(windows.left()).isEqualTo(6);
    assertThat(windows.late()).isZero();
  }

  @Test
  void termsComeRoundAgain() {
    tokens.exchange(0, 5);
    for (int i = 0; i < 1 << 20; i++) {
      assertThat(tokens.beginTerm()).isEqualTo(5);
    }

    tokens.putBack(2, tokens.take(2));

    assertThat(tokens.left()).isEqualTo(5);
  }

  @Test
  void whatLiesWithOtherThreadsIsFoundWhenItIsNeeded() throws Exception {
    tokens.exchange(0, 1000);
    scatter();

    assertThat(tokens.take(1000)).isNotEqualTo(Tokens.NOTHING);
    assertThat(tokens.left()).isZero();
  }

  @Test
  void clearingFindsWhatLiesWithOtherThreads() throws Exception {
    tokens.exchange(0, 1000);
    scatter();

    assertThat(tokens.clear()).isEqualTo(1000);
    assertThat(tokens.left()).isZero();
    assertThat(tokens.late()).isZero();
  }

  @Test
  void lettingGoFindsWhatLiesWithOtherThreads() throws Exception {
    tokens.exchange(0, 1000);
    scatter();

    tokens.exchange(990, 0);

    assertThat(tokens.left()).isEqualTo(10);
    assertThat(tokens.takeLate()).isEqualTo(990);
  }

  /**
   * Threads take and put back while another does what a lease does with the store. No token is made
   * and none is lost; and at every report, what was handed out since the one before is no more than
   * there was.
   */
  @Test
  void nobodyIsHandedMoreThanWasGranted() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    List<Future<Long>> takers = new ArrayList<>();
    for (int i = 0; i < THREADS - 1; i++) {
      Random random = new Random(i);
      takers.add(threads.submit(() -> takeUntil(over, random)));
    }
    long granted = 0;
    long returned = 0;
    long inHand = 0;
    Random random = new Random(42);
    for (int i = 0; i < 20_000; i++) {
      long kept = random.nextInt(10) == 0 ? 0 : tokens.beginTerm();
      if (kept == 0) {
        returned += tokens.clear();
      }
      assertThat(kept).isLessThanOrEqualTo(inHand);
      long lent = random.nextInt(3000);
      long away = random.nextInt(20) == 0 ? random.nextInt((int) kept + 1) : 0;
      tokens.exchange(away, lent);
      granted += lent;
      inHand = kept - away + lent;
      returned += tokens.takeLate();
    }
    over.set(true);
    long handedOut = 0;
    for (Future<Long> taker : takers) {
      handedOut += taker.get(60, TimeUnit.SECONDS);
    }

    assertThat(handedOut).isPositive();
    assertThat(handedOut + tokens.clear() + tokens.takeLate() + returned).isEqualTo(granted);
  }

  private long takeUntil(AtomicBoolean over, Random random) {
    long sum = 0;
    while (!over.get()) {
      long cost = 1 + random.nextInt(3);
      long receipt = tokens.take(cost);
      if (receipt != Tokens.NOTHING) {
        if (random.nextInt(8) == 0) {
          tokens.putBack(cost, receipt);
        } else {
          sum += cost;
        }
      }
    }
    return sum;
  }
}

package io.weir.near.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The tokens of a lease, with one thread and with many. */
class StripedTokensTest {
  private static final int THREADS = 6;

  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final StripedTokens tokens = new StripedTokens();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  /** Makes threads collide until the tokens are spread over stripes. */
  private void scatter() throws Exception {
    long before = tokens.left();
    List<Future<?>> done = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      done.add(
          threads.submit(
              () -> {
                for (int n = 0; n < 200_000; n++) {
                  long receipt = tokens.take(1);
                  if (receipt != StripedTokens.NOTHING) {
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
  void singleThreadSeesAllTokens() {
    tokens.exchange(0, 10);

    long receipt = tokens.take(3);

    assertThat(tokens.leftAfter(receipt)).isEqualTo(7);
    assertThat(tokens.left()).isEqualTo(7);
    assertThat(tokens.take(8)).isEqualTo(StripedTokens.NOTHING);
  }

  @Test
  void tokensPutBackInTermAreHandedOutAgain() {
    tokens.exchange(0, 10);

    tokens.putBack(4, tokens.take(4));

    assertThat(tokens.left()).isEqualTo(10);
    assertThat(tokens.late()).isZero();
  }

  @Test
  void tokensPutBackAfterTermAreSetAside() {
    tokens.exchange(0, 10);
    long receipt = tokens.take(4);

    assertThat(tokens.beginTerm()).isEqualTo(6);
    tokens.putBack(4, receipt);

    assertThat(tokens.left()).isEqualTo(6);
    assertThat(tokens.takeLate()).isEqualTo(4);
    assertThat(tokens.late()).isZero();
  }

  @Test
  void tokensOfEarlierWindowAreDropped() {
    tokens.exchange(0, 10);
    long before = tokens.take(4);
    tokens.beginTerm();
    tokens.putBack(1, before);
    tokens.exchange(6, 5);
    tokens.beginWindow();
    long after = tokens.take(2);
    tokens.beginTerm();

    tokens.putBack(3, before);
    assertThat(tokens.late()).isZero();
    tokens.putBack(2, after);
    assertThat(tokens.takeLate()).isEqualTo(2);
    assertThat(tokens.left()).isEqualTo(3);
  }

  @Test
  void windowMaySpanAnyNumberOfTerms() {
    tokens.exchange(0, 5);
    tokens.beginWindow();
    for (int i = 0; i < 1 << 20; i++) {
      tokens.takeLate();
      tokens.beginTerm();
      if (i % 1000 == 0) {
        long receipt = tokens.take(2);
        tokens.beginTerm();
        tokens.putBack(2, receipt);
        assertThat(tokens.takeLate()).isEqualTo(2);
        tokens.exchange(0, 2);
      }
    }
  }

  @Test
  void termsWrapAround() {
    tokens.exchange(0, 5);
    for (int i = 0; i < 1 << 20; i++) {
      assertThat(tokens.beginTerm()).isEqualTo(5);
    }

    tokens.putBack(2, tokens.take(2));

    assertThat(tokens.left()).isEqualTo(5);
  }

  @Test
  void takeCollectsTokensOfOtherStripes() throws Exception {
    tokens.exchange(0, 1000);
    scatter();

    assertThat(tokens.take(1000)).isNotEqualTo(StripedTokens.NOTHING);
    assertThat(tokens.left()).isZero();
  }

  @Test
  void clearCollectsTokensOfOtherStripes() throws Exception {
    tokens.exchange(0, 1000);
    scatter();

    assertThat(tokens.clear()).isEqualTo(1000);
    assertThat(tokens.left()).isZero();
    assertThat(tokens.late()).isZero();
  }

  @Test
  void exchangeCollectsTokensOfOtherStripes() throws Exception {
    tokens.exchange(0, 1000);
    scatter();

    tokens.exchange(990, 0);

    assertThat(tokens.left()).isEqualTo(10);
    assertThat(tokens.takeLate()).isEqualTo(990);
  }

  /**
   * Threads take and put back while another does what a lease does with the store. No token is
   * created and none is lost. At every report, the tokens handed out since the last one are no more
   * than there were.
   */
  @Test
  void neverHandsOutMoreThanGranted() throws Exception {
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
      long unavailable = random.nextInt(20) == 0 ? random.nextInt((int) kept + 1) : 0;
      tokens.exchange(unavailable, lent);
      granted += lent;
      inHand = kept - unavailable + lent;
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
      if (receipt != StripedTokens.NOTHING) {
        if (random.nextInt(8) == 0) {
          tokens.putBack(cost, receipt);
        } else {
          sum += cost;
        }
      }
    }
    return sum;
  }

  /**
   * The same over consecutive windows. Late tokens were handed out in the window that they are
   * returned to; otherwise they would exist twice.
   */
  @Test
  void returnsNothingToAnotherWindow() throws Exception {
    int windows = 3000;
    AtomicInteger window = new AtomicInteger();
    AtomicLongArray taken = new AtomicLongArray(windows);
    AtomicBoolean over = new AtomicBoolean();
    List<Future<?>> takers = new ArrayList<>();
    for (int i = 0; i < THREADS - 1; i++) {
      Random random = new Random(i);
      takers.add(threads.submit(() -> takeInWindows(over, window, taken, random)));
    }
    Random random = new Random(42);
    long[] granted = new long[windows];
    long[] returned = new long[windows];
    for (int w = 0; w < windows; w++) {
      for (int i = 0; i < 4; i++) {
        returned[w] += tokens.takeLate();
        long unavailable = tokens.beginTerm() / 4;
        long lent = random.nextInt(300);
        tokens.exchange(unavailable, lent);
        granted[w] += lent;
      }
      window.set(-1);
      returned[w] += tokens.takeLate();
      tokens.exchange(tokens.beginTerm(), 0);
      tokens.beginWindow();
      window.set(w + 1);
    }
    over.set(true);
    for (Future<?> taker : takers) {
      taker.get(60, TimeUnit.SECONDS);
    }

    assertThat(Arrays.stream(returned).sum()).isPositive();
    for (int w = 0; w < windows; w++) {
      assertThat(taken.get(w) + returned[w]).isLessThanOrEqualTo(granted[w]);
    }
  }

  private void takeInWindows(
      AtomicBoolean over, AtomicInteger window, AtomicLongArray taken, Random random) {
    while (!over.get()) {
      int before = window.get();
      long receipt = tokens.take(1);
      if (receipt != StripedTokens.NOTHING) {
        boolean same = before >= 0 && before < taken.length() && window.get() == before;
        if (same && random.nextInt(4) > 0) {
          taken.incrementAndGet(before);
        } else {
          tokens.putBack(1, receipt);
        }
      }
    }
  }
}

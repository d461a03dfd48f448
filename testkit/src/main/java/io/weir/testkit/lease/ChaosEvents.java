package io.weir.testkit.lease;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * Random events for a fleet: waves of calls to one instance or to all, of varying cost, while
 * instances crash, start, stop, freeze and reload, and the store stops answering or its clock is
 * set back.
 */
public final class ChaosEvents {
  private static final double[] WAVES = {0, 0.2, 0.8, 1, 1.5, 4, 20};
  private static final int MAX_MEMBERS = 6;

  private final SimulatedFleet fleet;
  private final SplittableRandom random;
  private final double perMicro;
  private final long largestCost;
  private int budget;
  private boolean silent;

  /**
   * Prepares a run.
   *
   * @param perSecond average rate of the limit
   * @param largestCost maximum cost of a call
   * @param calls number of calls after which the run ends
   */
  public ChaosEvents(
      SimulatedFleet fleet, long seed, double perSecond, long largestCost, int calls) {
    this.fleet = fleet;
    this.random = new SplittableRandom(seed);
    this.perMicro = perSecond / 1e6;
    this.largestCost = largestCost;
    this.budget = calls;
  }

  /** Runs all events; {@code check} is called repeatedly in between. */
  public void run(Runnable check) {
    int first = 1 + random.nextInt(4);
    for (int i = 0; i < first; i++) {
      fleet.start();
    }
    while (budget > 0) {
      wave(check);
      event();
      check.run();
    }
    fleet.time().advance(Duration.ofSeconds(20));
    check.run();
  }

  /** Some calls in a row, at a multiple of the limit's rate. */
  private void wave(Runnable check) {
    double wave = WAVES[random.nextInt(WAVES.length)];
    long length = 10_000 + random.nextLong(3_000_000);
    long end = fleet.time().micros() + length;
    int sticky = random.nextInt(fleet.size());
    boolean sticks = random.nextBoolean();
    while (fleet.time().micros() < end && budget > 0) {
      double mean = wave == 0 ? length : 1 / (perMicro * wave);
      fleet.time().advanceMicros(1 + (long) (-Math.log(1 - random.nextDouble()) * mean));
      if (wave > 0) {
        long cost = random.nextInt(4) == 0 ? 1 + random.nextLong(largestCost) : 1;
        fleet.call(sticks ? sticky : random.nextInt(fleet.size()), SimulatedFleet.USER, cost);
        budget--;
        if (budget % 16 == 0) {
          check.run();
        }
      } else {
        budget--;
      }
    }
  }

  private void event() {
    switch (random.nextInt(10)) {
      case 0 -> {
        fleet.crash(random.nextInt(fleet.size()));
        startIfNone();
      }
      case 1 -> {
        fleet.stop(random.nextInt(fleet.size()));
        startIfNone();
      }
      case 2, 3 -> {
        if (fleet.size() < MAX_MEMBERS) {
          fleet.start();
        }
      }
      case 4 -> fleet.reload();
      case 5 -> {
        silent = !silent;
        fleet.hang(silent);
      }
      case 6 ->
          fleet.freeze(random.nextInt(fleet.size()), Duration.ofMillis(random.nextLong(12_000)));
      case 7 -> fleet.stepStoreClock(Duration.ofMillis(-random.nextLong(20_000)));
      default -> {
        silent = false;
        fleet.hang(false);
      }
    }
  }

  private void startIfNone() {
    if (fleet.size() == 0) {
      fleet.start();
    }
  }
}

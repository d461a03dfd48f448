package io.weir.testkit.contract;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What any store must do. A subclass says how to get an empty one; each chapter is an interface of
 * its own.
 *
 * <p>{@link StoreProperties} are the other half: random traces against the reference.
 */
public abstract class StoreContract
    implements AlgorithmContract,
        CostContract,
        AllOrNoneContract,
        ReservationContract,
        PermitContract,
        ChangeContract,
        AlternationContract,
        KeyContract,
        ParallelContract {
  private StoreHarness harness;

  /** An empty store. */
  protected abstract StoreHarness create();

  @BeforeEach
  final void open() {
    harness = create();
  }

  @AfterEach
  final void close() {
    harness.close();
  }

  @Override
  public final StoreHarness harness() {
    return harness;
  }
}

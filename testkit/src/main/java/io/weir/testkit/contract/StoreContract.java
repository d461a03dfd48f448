package io.weir.testkit.contract;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Contract of every store. A subclass creates an empty store; each part is a separate interface.
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
        OperatorContract,
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

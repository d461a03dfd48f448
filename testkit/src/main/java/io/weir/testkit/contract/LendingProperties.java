package io.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.testkit.lease.LendingStore;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A store on virtual time lends exactly as {@link LendingStore} does, to the last token. */
public abstract class LendingProperties {
  /** An empty store, on virtual time. */
  protected abstract StoreHarness create();

  @Property(edgeCases = EdgeCasesMode.NONE)
  void lendsAsTheReferenceDoes(@ForAll("traces") LeaseTrace trace) {
    try (StoreHarness harness = create()) {
      new LendingRun(trace, harness).run();
    }
  }

  @Provide
  Arbitrary<LeaseTrace> traces() {
    return LeaseTrace.any();
  }

  /** Sends the same requests to both, and compares the responses. */
  private static final class LendingRun {
    private final LeaseTrace trace;
    private final StoreHarness harness;
    private final HarnessClock clock;
    private final Store reference;
    private final LeaseGrant[] held = new LeaseGrant[LeaseTrace.INSTANCES];
    private final long[] unspent = new long[LeaseTrace.INSTANCES];
    private Pool pool;
    private Pool writing;

    LendingRun(LeaseTrace trace, StoreHarness harness) {
      this.trace = trace;
      this.harness = harness;
      this.clock = new HarnessClock(harness);
      this.reference = new LendingStore(() -> harness.now(trace.limit()));
      this.pool = ContractCalls.pool("rule", trace.limit());
      this.writing = pool;
      Arrays.fill(held, LeaseGrant.NONE);
    }

    void run() {
      for (LeaseTrace.Event event : trace.events()) {
        happen(event);
      }
    }

    private void happen(LeaseTrace.Event event) {
      if (event instanceof LeaseTrace.Event.Ask ask) {
        ask(ask);
      } else if (event instanceof LeaseTrace.Event.End end) {
        end(end.instance());
      } else if (event instanceof LeaseTrace.Event.Take take) {
        report(take.amount(), LeaseReport.NONE, event);
      } else if (event instanceof LeaseTrace.Event.Owe owe) {
        report(0, LeaseReport.NONE.withDebt(owe.amount()), event);
      } else if (event instanceof LeaseTrace.Event.Change change) {
        touch();
        pool = ContractCalls.pool("rule", change.limit());
        glance();
      } else if (event instanceof LeaseTrace.Event.Pass pass) {
        if (pass.micros() < 0) {
          touch();
        }
        clock.move(pass.micros());
      }
    }

    private void ask(LeaseTrace.Event.Ask ask) {
      int i = ask.instance();
      long rest = unspent[i] - unspent[i] / 10 * ask.used();
      long back = rest / 10 * ask.returned();
      LeaseReport call = new LeaseReport(trace.most(), held[i], rest - back, back, ask.asked(), 0);
      LeaseGrant grant = report(ask.amount(), call, ask).grants().get(0);
      held[i] = ask.answered() ? grant : held[i].forgotten();
      unspent[i] = ask.answered() ? grant.tokens() : rest - back;
    }

    private void end(int i) {
      touch();
      LeaseReport call = new LeaseReport(trace.most(), held[i], 0, unspent[i], 0, 0);
      ContractCalls.get(harness.store().endLease(pool, Traffic.KEY, call));
      ContractCalls.get(reference.endLease(pool, Traffic.KEY, call));
      held[i] = LeaseGrant.NONE;
      unspent[i] = 0;
      report(0, LeaseReport.NONE, "after the end of " + i);
    }

    private TakeResult report(long amount, LeaseReport lease, Object what) {
      List<Draw> draws =
          List.of(new Draw(pool, Traffic.KEY, amount, Mode.ENFORCE, Intent.TAKE).withLease(lease));
      TakeResult expected = ContractCalls.get(reference.take(draws));
      TakeResult actual = ContractCalls.get(harness.store().take(draws));
      assertThat(actual.taken()).as("%s", what).isEqualTo(expected.taken());
      assertThat(StoreSubject.seen(actual.statuses().get(0)))
          .as("%s", what)
          .isEqualTo(StoreSubject.seen(expected.statuses().get(0)));
      assertThat(actual.grants()).as("%s", what).isEqualTo(expected.grants());
      return expected;
    }

    /**
     * A store may have forgotten an idle key; once the present state is stored, that makes no
     * difference. A bucket of rate 0 stores nothing.
     */
    private void touch() {
      if (pool.meter().writes()) {
        writing = pool;
      }
      ContractCalls.get(reference.refund(writing, Traffic.KEY, 0));
      ContractCalls.get(harness.store().refund(writing, Traffic.KEY, 0));
    }

    /** From then on the store keeps the key for as long as it has usage under these numbers. */
    private void glance() {
      List<Draw> draw = List.of(StoreSubject.glancing(pool, Traffic.KEY));
      ContractCalls.get(reference.take(draw));
      ContractCalls.get(harness.store().take(draw));
    }
  }
}

package io.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Algorithm;
import io.weir.SettlementResult;
import io.weir.limit.TakeReceipt;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import io.weir.testkit.reference.ObservedAnswer;
import io.weir.testkit.reference.ReferenceReceipt;
import io.weir.testkit.reference.ReferenceStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sends traffic to a store and to the reference, and compares all answers. */
final class TrafficRun {
  private final StoreHarness harness;
  private final HarnessClock clock;
  private final ReferenceStore reference;
  private final List<Pool> pools;
  private final List<AdmittedTraffic> passed = new ArrayList<>();
  private final Map<String, Pool> writing = new HashMap<>();
  private long ids;

  /** An admitted call, with receipts for the draws that took something. */
  private record AdmittedTraffic(long id, List<DrawReceipt> receipts) {}

  private record DrawReceipt(int pool, Draw draw, TakeReceipt actual, ReferenceReceipt expected) {}

  private TrafficRun(Traffic traffic, StoreHarness harness) {
    this.harness = harness;
    this.clock = new HarnessClock(harness);
    this.reference = new ReferenceStore(harness::now);
    this.pools = new ArrayList<>(traffic.pools());
  }

  static void run(Traffic traffic, StoreHarness harness) {
    TrafficRun run = new TrafficRun(traffic, harness);
    traffic.events().forEach(run::happen);
  }

  private void happen(Traffic.Event event) {
    if (event instanceof Traffic.Event.Call call) {
      call(call);
    } else if (event instanceof Traffic.Event.Pass pass) {
      if (pass.micros() < 0) {
        pools.forEach(this::touch);
      }
      clock.move(pass.micros());
    } else if (event instanceof Traffic.Event.Change change) {
      Pool old = pools.get(change.pool());
      touch(old);
      Pool next = new Pool(old.rule(), old.name(), "1", change.limit(), old.countDenied());
      glance(next);
      pools.set(change.pool(), next);
    } else if (event instanceof Traffic.Event.Settle settle && settle.back() < passed.size()) {
      settle(passed.remove(passed.size() - 1 - settle.back()), settle.owed());
    } else if (event instanceof Traffic.Event.Refund refund) {
      Pool pool = pools.get(refund.pool());
      reference.refund(pool, Traffic.KEY, refund.amount());
      ContractCalls.get(harness.store().refund(pool, Traffic.KEY, refund.amount()));
    } else if (event instanceof Traffic.Event.Release release && release.back() < passed.size()) {
      AdmittedTraffic call = passed.get(passed.size() - 1 - release.back());
      boolean expected = false;
      for (DrawReceipt receipt : call.receipts()) {
        expected |= reference.release(pool(receipt), receipt.draw().key(), call.id());
      }
      assertThat(ContractCalls.get(harness.store().release(call.id(), held(call, 0))))
          .as("%s", event)
          .isEqualTo(expected ? SettlementResult.DONE : SettlementResult.ALREADY);
    } else if (event instanceof Traffic.Event.Renew renew && renew.back() < passed.size()) {
      AdmittedTraffic call = passed.get(passed.size() - 1 - renew.back());
      boolean expected = false;
      for (DrawReceipt receipt : call.receipts()) {
        expected |= reference.renew(pool(receipt), receipt.draw().key(), call.id());
      }
      assertThat(ContractCalls.get(harness.store().renew(call.id(), held(call, 0))))
          .as("%s", event)
          .isEqualTo(expected ? SettlementResult.DONE : SettlementResult.ALREADY);
    }
  }

  /**
   * The store may have forgotten an idle key; once the present state is stored, that makes no
   * difference. A bucket of rate 0 stores nothing, so the limit before it is used.
   */
  private void touch(Pool pool) {
    if (pool.meter().writes()) {
      writing.put(pool.rule(), pool);
    }
    Pool last = writing.getOrDefault(pool.rule(), pool);
    reference.refund(last, Traffic.KEY, 0);
    ContractCalls.get(harness.store().refund(last, Traffic.KEY, 0));
  }

  /** From then on the store keeps the key for as long as it has usage under this limit. */
  private void glance(Pool pool) {
    List<Draw> draw = List.of(StoreSubject.glancing(pool, Traffic.KEY));
    reference.take(0, draw);
    ContractCalls.get(harness.store().take(draw));
  }

  private void call(Traffic.Event.Call call) {
    long id = ++ids;
    List<Draw> draws = call.parts().stream().map(part -> part.on(pools)).toList();
    ReferenceStore.Answer expected = reference.take(id, draws);
    TakeResult actual = ContractCalls.get(harness.store().reserve(id, draws));
    List<ObservedAnswer> seen = actual.statuses().stream().map(StoreSubject::seen).toList();
    assertThat(seen).as("%s", call).isEqualTo(expected.seen());
    assertThat(actual.taken()).as("%s", call).isEqualTo(expected.taken());
    if (!actual.taken()) {
      return;
    }
    List<DrawReceipt> receipts = new ArrayList<>();
    for (int i = 0; i < draws.size(); i++) {
      if (draws.get(i).amount() > 0 && seen.get(i).allowed() && takes(draws.get(i))) {
        receipts.add(
            new DrawReceipt(
                call.parts().get(i).pool(),
                draws.get(i),
                actual.receipts().get(i),
                expected.receipts().get(i)));
      }
    }
    passed.add(new AdmittedTraffic(id, receipts));
  }

  private static boolean takes(Draw draw) {
    return draw.intent() == Intent.HOLD
        || (draw.intent() != Intent.LOOK
            && draw.pool().meter().limit().algorithm() != Algorithm.CONCURRENCY);
  }

  private void settle(AdmittedTraffic call, long owed) {
    for (DrawReceipt receipt : call.receipts()) {
      Draw draw = receipt.draw();
      reference.settle(pool(receipt), draw.key(), draw.amount(), owed, receipt.expected());
    }
    assertThat(
            ContractCalls.get(
                harness.store().settle(call.id(), held(call, owed), ContractCalls.EVER)))
        .isEqualTo(SettlementResult.DONE);
  }

  private List<ReservedPart> held(AdmittedTraffic call, long owed) {
    return call.receipts().stream()
        .map(s -> new ReservedPart(pool(s), s.draw().key(), s.draw().amount(), owed, s.actual()))
        .toList();
  }

  /** The receipt's pool with its current numbers. */
  private Pool pool(DrawReceipt receipt) {
    return pools.get(receipt.pool());
  }
}

package io.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Algorithm;
import io.weir.Settlement;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Held;
import io.weir.store.Pool;
import io.weir.store.Taking;
import io.weir.testkit.reference.Mark;
import io.weir.testkit.reference.ReferenceStore;
import io.weir.testkit.reference.Seen;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sends traffic to a store and to the reference, and compares all answers. */
final class TrafficRun {
  private final StoreHarness harness;
  private final Clock clock;
  private final ReferenceStore reference;
  private final List<Pool> pools;
  private final List<Passed> passed = new ArrayList<>();
  private final Map<String, Pool> writing = new HashMap<>();
  private long ids;

  /** A call that passed; only what was taken from is kept. */
  private record Passed(long id, List<Share> shares) {}

  private record Share(int pool, Draw draw, Stamp stamp, Mark mark) {}

  private TrafficRun(Traffic traffic, StoreHarness harness) {
    this.harness = harness;
    this.clock = new Clock(harness);
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
      Calls.get(harness.store().refund(pool, Traffic.KEY, refund.amount()));
    } else if (event instanceof Traffic.Event.Release release && release.back() < passed.size()) {
      Passed call = passed.get(passed.size() - 1 - release.back());
      boolean expected = false;
      for (Share share : call.shares()) {
        expected |= reference.release(pool(share), share.draw().key(), call.id());
      }
      assertThat(Calls.get(harness.store().release(call.id(), held(call, 0))))
          .as("%s", event)
          .isEqualTo(expected ? Settlement.DONE : Settlement.ALREADY);
    } else if (event instanceof Traffic.Event.Renew renew && renew.back() < passed.size()) {
      Passed call = passed.get(passed.size() - 1 - renew.back());
      boolean expected = false;
      for (Share share : call.shares()) {
        expected |= reference.renew(pool(share), share.draw().key(), call.id());
      }
      assertThat(Calls.get(harness.store().renew(call.id(), held(call, 0))))
          .as("%s", event)
          .isEqualTo(expected ? Settlement.DONE : Settlement.ALREADY);
    }
  }

  /**
   * The store may have forgotten an idle key; once the present is written down that makes no
   * difference. Nothing can be under a bucket of rate 0, so that is left to the limit before it.
   */
  private void touch(Pool pool) {
    if (pool.meter().writes()) {
      writing.put(pool.rule(), pool);
    }
    Pool last = writing.getOrDefault(pool.rule(), pool);
    reference.refund(last, Traffic.KEY, 0);
    Calls.get(harness.store().refund(last, Traffic.KEY, 0));
  }

  /** From then on the store keeps the key for as long as it weighs under this limit. */
  private void glance(Pool pool) {
    List<Draw> draw = List.of(StoreSubject.glancing(pool, Traffic.KEY));
    reference.take(0, draw);
    Calls.get(harness.store().take(draw));
  }

  private void call(Traffic.Event.Call call) {
    long id = ++ids;
    List<Draw> draws = call.parts().stream().map(part -> part.on(pools)).toList();
    ReferenceStore.Answer expected = reference.take(id, draws);
    Taking actual = Calls.get(harness.store().reserve(id, draws));
    List<Seen> seen = actual.standings().stream().map(StoreSubject::seen).toList();
    assertThat(seen).as("%s", call).isEqualTo(expected.seen());
    assertThat(actual.taken()).as("%s", call).isEqualTo(expected.taken());
    if (!actual.taken()) {
      return;
    }
    List<Share> shares = new ArrayList<>();
    for (int i = 0; i < draws.size(); i++) {
      if (draws.get(i).amount() > 0 && seen.get(i).allowed() && takes(draws.get(i))) {
        shares.add(
            new Share(
                call.parts().get(i).pool(),
                draws.get(i),
                actual.stamps().get(i),
                expected.marks().get(i)));
      }
    }
    passed.add(new Passed(id, shares));
  }

  private static boolean takes(Draw draw) {
    return draw.intent() == Intent.HOLD
        || (draw.intent() != Intent.LOOK
            && draw.pool().meter().limit().algorithm() != Algorithm.CONCURRENCY);
  }

  private void settle(Passed call, long owed) {
    for (Share share : call.shares()) {
      Draw draw = share.draw();
      reference.settle(pool(share), draw.key(), draw.amount(), owed, share.mark());
    }
    assertThat(Calls.get(harness.store().settle(call.id(), held(call, owed), Calls.EVER)))
        .isEqualTo(Settlement.DONE);
  }

  private List<Held> held(Passed call, long owed) {
    return call.shares().stream()
        .map(s -> new Held(pool(s), s.draw().key(), s.draw().amount(), owed, s.stamp()))
        .toList();
  }

  /** The share's pool with the numbers it has by now. */
  private Pool pool(Share share) {
    return pools.get(share.pool());
  }
}

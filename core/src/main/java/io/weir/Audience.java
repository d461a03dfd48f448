package io.weir;

import io.weir.store.Draw;
import io.weir.store.MemoryStore;
import io.weir.store.Pool;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who hears of decisions and of errors: a listener, if there is one. It does not decide. */
final class Audience {
  private final @Nullable DecisionListener listener;

  Audience(@Nullable DecisionListener listener) {
    this.listener = listener;
  }

  Decision heard(Call call, Decision decision) {
    if (listener != null) {
      try {
        listener.decided(call, decision);
      } catch (RuntimeException e) {
        unexpected(e);
      }
    }
    return decision;
  }

  /** Of calls that are refused together, those that were not refused themselves are no news. */
  List<Decision> heard(List<Call> calls, List<Decision> decisions) {
    boolean passed = decisions.stream().allMatch(Decision::allowed);
    for (int i = 0; i < calls.size(); i++) {
      if (passed || !decisions.get(i).allowed()) {
        heard(calls.get(i), decisions.get(i));
      }
    }
    return decisions;
  }

  void unexpected(Throwable error) {
    if (listener != null) {
      listener.unexpected(error);
    } else if (Complaints.mayLog()) {
      Complaints.LOG.error("the store failed; rules decide by their on_fail", error);
    }
  }

  /** A flood of errors must not become a flood of log lines. */
  private static final class Complaints {
    static final Logger LOG = LoggerFactory.getLogger("io.weir.Weir");

    private static final MemoryStore LINES = MemoryStore.builder().build();
    private static final Draw LINE =
        new Draw(
            new Pool("log", "log", "1", Limit.perMinute(20), false),
            Key.of(""),
            1,
            Mode.ENFORCE,
            Draw.Intent.TAKE);

    static boolean mayLog() {
      return LINES.tryTake(LINE);
    }
  }
}

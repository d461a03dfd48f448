package io.weir.engine;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.memory.MemoryStore;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the listener, if there is one, of decisions and errors. Without a listener, errors are
 * logged, at a limited rate.
 */
public final class DecisionNotifier {
  private final @Nullable DecisionListener listener;

  public DecisionNotifier(@Nullable DecisionListener listener) {
    this.listener = listener;
  }

  public Decision onDecision(Call call, Decision decision) {
    if (listener != null) {
      try {
        listener.onDecision(call, decision);
      } catch (RuntimeException e) {
        onError(e);
      }
    }
    return decision;
  }

  /**
   * Notifies of calls decided as one. If they are refused, only those that were refused themselves
   * are reported.
   */
  public List<Decision> onDecision(List<Call> calls, List<Decision> decisions) {
    boolean passed = decisions.stream().allMatch(Decision::allowed);
    for (int i = 0; i < calls.size(); i++) {
      if (passed || !decisions.get(i).allowed()) {
        onDecision(calls.get(i), decisions.get(i));
      }
    }
    return decisions;
  }

  public void onError(Throwable error) {
    if (listener != null) {
      listener.onError(error);
    } else if (ErrorLogLimit.mayLog()) {
      ErrorLogLimit.LOG.error("the store failed; rules decide by their on_fail", error);
    }
  }

  /** Limits error lines to 20 per minute, so that a flood of errors does not flood the log. */
  private static final class ErrorLogLimit {
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

package io.weir;

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
    } else if (Complaints.LOGGED.tryAcquire("")) {
      Complaints.LOG.error("the store failed; rules decide by their on_fail", error);
    }
  }

  /** A flood of errors must not become a flood of log lines. */
  private static final class Complaints {
    static final Logger LOG = LoggerFactory.getLogger(Weir.class);
    static final Limiter LOGGED = Weir.limiter(Limit.perMinute(20));
  }
}

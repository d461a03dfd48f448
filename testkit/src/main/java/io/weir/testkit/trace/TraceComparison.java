package io.weir.testkit.trace;

import io.weir.Limit;
import io.weir.limit.Meter;
import io.weir.testkit.reference.ObservedAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Feeds a trace to a subject and to the reference, and compares every field of every answer.
 *
 * <p>The two must agree to the microsecond, so the subject's clock moves only by the trace's steps.
 */
public final class TraceComparison {
  private final Trace trace;
  private final TraceSubject subject;
  private final ReferenceSubject reference;
  private final List<Long> open = new ArrayList<>();
  private Limit limit;

  /** The last limit under which a call could store state; buckets of rate 0 store none. */
  private Limit writing;

  private long retryAfter;

  private TraceComparison(Trace trace, TraceSubject subject) {
    this.trace = trace;
    this.subject = subject;
    this.reference = new ReferenceSubject(trace, subject.keyHash(), subject::now);
    this.limit = trace.limit();
    this.writing = limit;
  }

  /**
   * Runs a trace.
   *
   * @throws AssertionError at the first answer that differs, with the history up to it
   */
  public static void run(Trace trace, TraceSubject subject) {
    TraceComparison run = new TraceComparison(trace, subject);
    for (int i = 0; i < trace.steps().size(); i++) {
      run.step(i);
    }
  }

  private void touch() {
    if (Meter.of(limit).writes()) {
      writing = limit;
    }
    if (subject.touch(writing)) {
      reference.touch(writing);
    }
  }

  private void glance() {
    if (subject.glance(limit)) {
      reference.glance(limit);
    }
  }

  private void step(int i) {
    TraceStep step = trace.steps().get(i);
    String before = reference.toString();
    Object expected = null;
    Object actual = null;
    if (step instanceof TraceStep.Take take) {
      ObservedAnswer seen = reference.take(limit, take.cost(), i);
      expected = seen;
      actual = subject.take(limit, take.cost(), i);
      if (seen.allowed() && take.cost() > 0) {
        open.add((long) i);
      }
      retryAfter = seen.retryAfter();
    } else if (step instanceof TraceStep.Look look) {
      expected = reference.look(limit, look.cost());
      actual = subject.look(limit, look.cost());
    } else if (step instanceof TraceStep.LimitChange change) {
      touch();
      limit = change.limit();
      glance();
    } else if (step instanceof TraceStep.Pass pass) {
      if (pass.micros() < 0) {
        touch();
      }
      subject.move(pass.micros());
    } else if (step instanceof TraceStep.Await await) {
      subject.move(Math.max(0, Math.max(0, retryAfter) + await.offset()));
    } else if (step instanceof TraceStep.Settle settle && settle.back() < open.size()) {
      long id = open.remove(open.size() - 1 - settle.back());
      reference.settle(limit, id, settle.owed());
      subject.settle(limit, id, settle.owed());
    } else if (step instanceof TraceStep.Refund refund) {
      reference.refund(limit, refund.amount());
      subject.refund(limit, refund.amount());
      expected = reference.look(limit, 1);
      actual = subject.look(limit, 1);
    } else if (step instanceof TraceStep.Release release && release.back() < open.size()) {
      long id = open.get(open.size() - 1 - release.back());
      expected = reference.release(limit, id);
      actual = subject.release(limit, id);
    } else if (step instanceof TraceStep.Renew renew && renew.back() < open.size()) {
      long id = open.get(open.size() - 1 - renew.back());
      expected = reference.renew(limit, id);
      actual = subject.renew(limit, id);
    }
    if (!Objects.equals(expected, actual)) {
      throw new AssertionError(
          "at %d under %s%nreference: %s%nsubject:   %s%nreference had %s, has %s%nhistory: %s"
              .formatted(
                  subject.now(limit), limit, expected, actual, before, reference, trace.upTo(i)));
    }
  }
}

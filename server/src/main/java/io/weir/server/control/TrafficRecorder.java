package io.weir.server.control;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.control.ControlStores;
import io.weir.control.database.DatabaseException;
import io.weir.control.rollout.judge.Prediction;
import io.weir.control.whatif.CallRing;
import io.weir.control.whatif.CollectedRecording;
import io.weir.control.whatif.LimitSuggester;
import io.weir.control.whatif.RecordingExchange;
import io.weir.control.whatif.RecordingSettings;
import io.weir.control.whatif.Replay;
import io.weir.control.whatif.ValueHash;
import io.weir.control.whatif.WhatIf;
import io.weir.control.whatif.WhatIfCodec;
import io.weir.rule.RuleSet;
import io.weir.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records calls as soon as the database is open, and replays the recordings of all instances
 * against other rules. Recorded values are hashed with a key that the fleet shares: the id of the
 * audit log.
 */
final class TrafficRecorder implements Predictor, TrafficOperations, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TrafficRecorder.class);
  private static final Duration COLLECT = Duration.ofSeconds(6);
  private static final Duration REPLAY = Duration.ofSeconds(5);

  /** What is recorded, and how to collect it. */
  private record Recording(CallRing ring, ValueHash hash, RecordingExchange exchange) {}

  private final boolean enabled;
  private final TimeSource time;
  private final Executor executor;
  private volatile RuleSet rules = RuleSet.EMPTY;
  private volatile @Nullable Recording recording;

  TrafficRecorder(boolean enabled, TimeSource time, Executor executor) {
    this.enabled = enabled;
    this.time = time;
    this.executor = executor;
  }

  /** A listener that records after another one. */
  DecisionListener after(DecisionListener first) {
    if (!enabled) {
      return first;
    }
    return new DecisionListener() {
      @Override
      public void onDecision(Call call, Decision decision) {
        first.onDecision(call, decision);
        Recording present = recording;
        if (present != null) {
          present.ring.onDecision(call, decision);
        }
      }

      @Override
      public void onError(Throwable error) {
        first.onError(error);
      }
    };
  }

  /** Starts to record. */
  void open(ControlStores stores, String instance) {
    if (!enabled) {
      return;
    }
    String log = stores.audit().head().log();
    ValueHash hash = ValueHash.of(log.getBytes(StandardCharsets.UTF_8));
    CallRing ring = new CallRing(RecordingSettings.DEFAULT, hash, time);
    ring.rules(rules);
    RecordingExchange exchange =
        new RecordingExchange(
            stores.recordings(),
            stores.instances(),
            stores.database(),
            instance,
            Optional.of(ring),
            executor);
    recording = new Recording(ring, hash, exchange);
    exchange.start();
  }

  /** The rules in force have changed. */
  void rules(RuleSet next) {
    rules = next;
    Recording present = recording;
    if (present != null) {
      present.ring.rules(next);
    }
  }

  @Override
  public Optional<Outcome> predict(RuleSet before, RuleSet after) {
    return replayed(before, after)
        .flatMap(
            outcome ->
                Prediction.of(outcome)
                    .map(predicted -> new Outcome(WhatIfCodec.write(outcome), predicted)));
  }

  @Override
  public Optional<String> whatIf(RuleSet candidate) {
    return replayed(rules, candidate).map(WhatIfCodec::write);
  }

  @Override
  public Optional<String> suggestForRule(String rule) {
    return suggester().map(it -> it.forRule(rule).toJson());
  }

  @Override
  public Optional<String> suggestForKey(List<String> parts) {
    return suggester().map(it -> it.forKey(parts).toJson());
  }

  private Optional<WhatIf> replayed(RuleSet before, RuleSet after) {
    Recording present = recording;
    return collected()
        .map(
            it ->
                new Replay(it.recording(), Objects.requireNonNull(present).hash, before, after)
                    .run(time, REPLAY, it.instances(), it.asked()));
  }

  private Optional<LimitSuggester> suggester() {
    Recording present = recording;
    return collected()
        .map(it -> new LimitSuggester(it.recording(), Objects.requireNonNull(present).hash, rules));
  }

  /** The calls of all instances; empty if none is recorded. */
  private Optional<CollectedRecording> collected() {
    Recording present = recording;
    if (present == null) {
      return Optional.empty();
    }
    try {
      CollectedRecording collected =
          present
              .exchange
              .collect()
              .toCompletableFuture()
              .get(COLLECT.toMillis(), TimeUnit.MILLISECONDS);
      return Optional.of(collected).filter(it -> it.recording().size() > 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof DatabaseException unavailable) {
        throw unavailable;
      }
      LOG.warn("recorded calls could not be collected", e);
      return Optional.empty();
    } catch (TimeoutException e) {
      LOG.warn("recorded calls were not collected within {} s", COLLECT.toSeconds());
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    Recording present = recording;
    if (present != null) {
      present.exchange.close();
    }
  }
}

package io.weir.control.whatif;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.control.database.Database;
import io.weir.control.store.InstanceRegistry;
import io.weir.control.store.RecordingStore;
import io.weir.rule.RuleSet;
import io.weir.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The recording of an instance, from the listener of its engine to what-ifs over the whole fleet.
 *
 * <p>Recording starts when the database is open: the values are hashed with the id of its audit
 * log, which all instances share and no other fleet has. Until then, and if recording is off, a
 * decision costs one read of a field.
 */
public final class TrafficRecording implements DecisionListener, AutoCloseable {
  /** The longest time that a replay takes. */
  private static final Duration REPLAY_TIME = Duration.ofSeconds(10);

  private final Optional<RecordingSettings> settings;
  private final TimeSource time;
  private volatile RuleSet rules = RuleSet.EMPTY;
  private volatile @Nullable CallRing ring;
  private volatile @Nullable Fleet fleet;

  /** What an open database adds. */
  private record Fleet(ValueHash hash, RecordingExchange exchange) {}

  /**
   * A recording that has not started.
   *
   * @param settings empty if recording is off; what-ifs then rest on other instances
   */
  public TrafficRecording(Optional<RecordingSettings> settings, TimeSource time) {
    this.settings = settings;
    this.time = time;
  }

  @Override
  public void onDecision(Call call, Decision decision) {
    CallRing recorder = ring;
    if (recorder != null) {
      recorder.onDecision(call, decision);
    }
  }

  /** The rules in force: attributes that they take as cost are recorded as numbers. */
  public void rules(RuleSet inForce) {
    rules = inForce;
    CallRing recorder = ring;
    if (recorder != null) {
      recorder.rules(inForce);
    }
  }

  /**
   * Starts to record, and to hand the recording to other instances.
   *
   * @param log the id of the audit log
   * @param instance the id of this instance
   * @param executor runs what blocks for as long as the database does
   */
  public void start(
      Database database,
      RecordingStore store,
      InstanceRegistry instances,
      String log,
      String instance,
      Executor executor) {
    ValueHash hash = ValueHash.of(log.getBytes(StandardCharsets.UTF_8));
    Optional<CallRing> own = settings.map(it -> new CallRing(it, hash, time));
    RecordingExchange exchange =
        new RecordingExchange(store, instances, database, instance, own, executor);
    fleet = new Fleet(hash, exchange);
    ring = own.orElse(null);
    rules(rules);
    exchange.start();
  }

  /** The calls that this instance holds now. */
  public int size() {
    CallRing recorder = ring;
    return recorder == null ? 0 : recorder.size();
  }

  /**
   * What new rules would have done to the recorded calls of all live instances. Blocks for up to 3
   * s for their recordings and 10 s for the replay.
   *
   * @throws io.weir.control.database.DatabaseException if the database is unavailable
   */
  public WhatIf whatIf(RuleSet before, RuleSet after) {
    Fleet open = fleet;
    if (open == null) {
      return WhatIf.nothingRecorded(0, 1);
    }
    CollectedRecording collected = collect(open);
    return new Replay(collected.recording(), open.hash(), before, after)
        .run(time, REPLAY_TIME, collected.instances(), collected.asked());
  }

  /**
   * A limit for a rule in force, from the recorded calls of all live instances. Blocks as {@link
   * #whatIf} does.
   *
   * @throws IllegalArgumentException if there is no such rule
   */
  public Suggestion suggestForRule(String rule) {
    return suggester().forRule(rule);
  }

  /** As {@link #suggestForRule}, for all calls that have these parts of a key. */
  public Suggestion suggestForKey(List<String> parts) {
    return suggester().forKey(parts);
  }

  private LimitSuggester suggester() {
    Fleet open = fleet;
    return open == null
        ? new LimitSuggester(Recording.EMPTY, ValueHash.of(new byte[0]), rules)
        : new LimitSuggester(collect(open).recording(), open.hash(), rules);
  }

  private static CollectedRecording collect(Fleet open) {
    try {
      return open.exchange().collect().toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  @Override
  public void close() {
    Fleet open = fleet;
    ring = null;
    if (open != null) {
      open.exchange().close();
    }
  }
}

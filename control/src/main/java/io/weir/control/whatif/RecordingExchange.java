package io.weir.control.whatif;

import io.weir.control.database.Database;
import io.weir.control.database.DatabaseException;
import io.weir.control.store.Instance;
import io.weir.control.store.InstanceRegistry;
import io.weir.control.store.RecordingStore;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the recordings of all live instances for a what-if, and hands out this instance's own.
 *
 * <p>A request is a row in the table {@code recording}. Every instance looks for requests once a
 * second and answers with a row of its own. Notifications would reach instances sooner, but each
 * takes a lock on the whole database, and publishes need it. The requester waits up to 3 s, or
 * until all live instances have answered; its own ring goes in directly. An embedded database has
 * no other instances, so nothing is waited for.
 */
public final class RecordingExchange implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RecordingExchange.class);
  static final Duration POLL = Duration.ofSeconds(1);
  static final Duration WAIT = Duration.ofSeconds(3);
  private static final Duration CHECK = Duration.ofMillis(200);

  /** An instance that has not reported for so long is not live. */
  private static final Duration LIVE = Duration.ofSeconds(15);

  private static final Duration REQUEST_LIFE = Duration.ofSeconds(10);
  private static final Duration KEPT = Duration.ofMinutes(1);

  private final RecordingStore store;
  private final InstanceRegistry instances;
  private final Database database;
  private final String instance;
  private final Optional<CallRing> ring;
  private final TimeSource time;
  private final Executor executor;
  private final Set<String> own = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Exchanges recordings by a database.
   *
   * @param instance the id of this instance
   * @param ring this instance's calls; empty if recording is off
   * @param executor runs what blocks for as long as the database does
   */
  public RecordingExchange(
      RecordingStore store,
      InstanceRegistry instances,
      Database database,
      String instance,
      Optional<CallRing> ring,
      Executor executor) {
    this.store = store;
    this.instances = instances;
    this.database = database;
    this.instance = instance;
    this.ring = ring;
    this.time = database.time();
    this.executor = executor;
  }

  /** Starts to look for requests of other instances, if there can be any. */
  public void start() {
    if (database.isShared()) {
      schedulePoll();
    }
  }

  private void schedulePoll() {
    time.delay(POLL)
        .thenRun(
            () -> {
              if (!closed) {
                executor.execute(this::pollAndSchedule);
              }
            });
  }

  private void pollAndSchedule() {
    try {
      answerRequests();
    } catch (DatabaseException e) {
      LOG.debug("cannot look for requests of recordings: {}", e.toString());
    } catch (RuntimeException e) {
      LOG.warn("cannot hand out the recording", e);
    } finally {
      if (!closed) {
        schedulePoll();
      }
    }
  }

  /** Answers the open requests of other instances. */
  void answerRequests() {
    for (String request : store.openRequests(instance, database.now().minus(REQUEST_LIFE))) {
      if (!own.contains(request)) {
        store.answer(
            request, instance, RecordingCodec.encode(snapshot(), RecordingStore.MAX_BYTES));
      }
    }
  }

  private Recording snapshot() {
    return ring.map(it -> it.snapshot(database.clockOffset().toNanos() / 1000))
        .orElse(Recording.EMPTY);
  }

  /**
   * The recordings of all live instances that answer in time.
   *
   * @return completes exceptionally with a {@link DatabaseException} if the database is unavailable
   */
  public CompletionStage<CollectedRecording> collect() {
    return CompletableFuture.supplyAsync(this::liveInstances, executor)
        .thenCompose(
            others ->
                others.isEmpty()
                    ? CompletableFuture.completedFuture(merge("", others, Set.of()))
                    : collectFrom(others));
  }

  private Set<String> liveInstances() {
    return !database.isShared()
        ? Set.of()
        : instances.seenSince(database.now().minus(LIVE)).stream()
            .map(Instance::id)
            .filter(id -> !id.equals(instance))
            .collect(Collectors.toCollection(TreeSet::new));
  }

  private CompletionStage<CollectedRecording> collectFrom(Set<String> others) {
    String request = UUID.randomUUID().toString();
    own.add(request);
    long deadline = time.micros() + WAIT.toNanos() / 1000;
    return CompletableFuture.runAsync(() -> store.request(request), executor)
        .thenCompose(asked -> await(request, others, deadline))
        .thenApplyAsync(answered -> merge(request, others, answered), executor)
        .whenComplete((collected, problem) -> executor.execute(() -> discard(request)));
  }

  private CompletionStage<Set<String>> await(String request, Set<String> others, long deadline) {
    return time.delay(CHECK)
        .thenApplyAsync(waited -> store.answered(request), executor)
        .thenCompose(
            answered ->
                answered.containsAll(others) || time.micros() >= deadline
                    ? CompletableFuture.completedFuture(answered)
                    : await(request, others, deadline));
  }

  private CollectedRecording merge(String request, Set<String> others, Set<String> answered) {
    RecordingMerge merge = new RecordingMerge();
    merge.add(snapshot());
    int merged = 1;
    Set<String> live = new TreeSet<>(others);
    live.addAll(answered);
    for (String other : answered) {
      Optional<byte[]> body = store.answer(request, other);
      try {
        if (body.isPresent()) {
          merge.add(RecordingCodec.decode(body.get()));
          merged++;
        }
      } catch (RecordingFormatException e) {
        LOG.warn("the recording of instance {} is left out: {}", other, e.getMessage());
      }
    }
    return new CollectedRecording(merge.merged(), merged, 1 + live.size());
  }

  private void discard(String request) {
    try {
      store.delete(request);
      store.forgetBefore(database.now().minus(KEPT));
    } catch (DatabaseException e) {
      LOG.debug("cannot delete a request of recordings: {}", e.toString());
    } finally {
      own.remove(request);
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}

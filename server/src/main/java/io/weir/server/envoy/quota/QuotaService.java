package io.weir.server.envoy.quota;

import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import io.weir.Call;
import io.weir.engine.Engine;
import io.weir.server.envoy.grpc.InvalidRequestException;
import io.weir.server.envoy.quota.QuotaBucket.ReportResult;
import io.weir.server.envoy.quota.QuotaBucket.ReportedUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Assigns quotas to Envoys (RLQS): records their reports, and once per period divides the requests
 * that the rules allow among the Envoys that demand them.
 *
 * <p>Event loops only record reports. Evaluating rules and writing to Envoys happens on the
 * executor, one bucket at a time, so a report waits for at most one bucket.
 */
public final class QuotaService implements AutoCloseable {
  private static final int MAX_BUCKETS = 10_000;

  /** Cap on what one report adds to a counter, so that a few reports cannot make it overflow. */
  private static final long MAX_HITS = 1L << 32;

  private final Engine engine;
  private final Duration period;
  private final Executor executor;
  private final Consumer<Throwable> errors;
  private final Map<QuotaId, QuotaBucket> buckets = new ConcurrentHashMap<>();
  private final LongAdder allowed = new LongAdder();
  private final LongAdder denied = new LongAdder();
  private final Set<EnvoyConnection> open = ConcurrentHashMap.newKeySet();
  private final Queue<AssignmentBatch> unsent = new ConcurrentLinkedQueue<>();
  private final AtomicLong now = new AtomicLong();

  /**
   * Creates a service without Envoys.
   *
   * @param period interval between two calls of {@link #tick}
   * @param executor the thread that calls it, and runs all work that must not block event loops
   * @param errors receives unexpected errors
   */
  public QuotaService(
      Engine engine, Duration period, Executor executor, Consumer<Throwable> errors) {
    this.engine = engine;
    this.period = period;
    this.executor = executor;
    this.errors = errors;
  }

  /** Requests that Envoys allowed by their quotas. */
  public LongAdder allowed() {
    return allowed;
  }

  /** Requests that Envoys refused by their quotas. */
  public LongAdder denied() {
    return denied;
  }

  /** The number of buckets in use. */
  public int buckets() {
    return buckets.size();
  }

  /** The number of connected Envoys. */
  public int streams() {
    return open.size();
  }

  /** Begins a period. Completes when all assignments have been sent. */
  public CompletableFuture<Void> tick() {
    send(); // assignments whose batch waits for a bucket without a result
    long begun = now.incrementAndGet();
    CompletableFuture<Void> assigned = each(buckets.values(), bucket -> bucket.begin(begun));
    buckets.values().removeIf(QuotaBucket::closeIfUnused);
    return assigned;
  }

  /** Runs a task for each bucket, and sends the assignments when all are done. */
  private CompletableFuture<Void> each(
      Collection<QuotaBucket> some, Function<QuotaBucket, CompletionStage<Void>> task) {
    List<CompletableFuture<Void>> done = new ArrayList<>();
    for (QuotaBucket bucket : some) {
      try {
        done.add(task.apply(bucket).toCompletableFuture());
      } catch (RuntimeException | Error e) {
        errors.accept(e); // the other buckets are processed all the same
      }
    }
    return CompletableFuture.allOf(done.toArray(CompletableFuture[]::new))
        .thenRunAsync(this::send, executor);
  }

  private void send() {
    for (AssignmentBatch batch = unsent.poll(); batch != null; batch = unsent.poll()) {
      try {
        batch.send();
      } catch (RuntimeException | Error e) {
        errors.accept(e);
      }
    }
  }

  /** The bucket with an id, created if needed; null if there are too many. */
  private @Nullable QuotaBucket bucket(QuotaId id) {
    QuotaBucket known = buckets.get(id);
    return known != null ? known : newBucket(id);
  }

  private synchronized @Nullable QuotaBucket newBucket(QuotaId id) {
    return buckets.size() < MAX_BUCKETS
        ? buckets.computeIfAbsent(
            id, made -> new QuotaBucket(engine, executor, errors, made, now.get()))
        : buckets.get(id);
  }

  /** One Envoy's connection. */
  final class EnvoyConnection {
    private final String peer;
    private final String domain;
    private final AssignmentBatch batch;
    private final Runnable closer;

    private EnvoyConnection(
        String peer, String domain, Consumer<RateLimitQuotaResponse> envoy, Runnable closer) {
      this.peer = peer;
      this.domain = domain;
      this.batch = new AssignmentBatch(envoy);
      this.closer = closer;
    }

    /**
     * Records reports. The first report on a bucket requests an assignment. It is sent immediately
     * if no other Envoy uses the bucket, otherwise with the next period.
     *
     * @throws InvalidRequestException if a report has no valid bucket id
     */
    void onReport(List<BucketQuotaUsage> usages) {
      List<QuotaBucket> toRenew = new ArrayList<>();
      for (BucketQuotaUsage usage : usages) {
        report(QuotaId.of(domain, usage.getBucketId()), usage, toRenew);
      }
      if (!toRenew.isEmpty()) {
        executor.execute(() -> each(toRenew, QuotaBucket::renewIfRequested));
      }
    }

    private void report(QuotaId id, BucketQuotaUsage reported, List<QuotaBucket> toRenew) {
      ReportedUsage usage =
          new ReportedUsage(
              count(reported.getNumRequestsAllowed()),
              count(reported.getNumRequestsDenied()),
              seconds(reported));
      QuotaBucket bucket = bucket(id);
      while (bucket != null) {
        ReportResult taken = bucket.onReport(this, usage, this::isSamePeer, at -> share(id, at));
        if (taken != ReportResult.CLOSED) {
          allowed.add(Math.min(usage.passed(), MAX_HITS));
          denied.add(Math.min(usage.refused(), MAX_HITS));
          if (taken == ReportResult.RENEW_NOW) {
            toRenew.add(bucket);
          }
          return;
        }
        buckets.remove(id, bucket);
        bucket = bucket(id);
      }
      // Too many buckets: without an assignment the Envoy applies its configured behaviour.
    }

    private boolean isSamePeer(Object gone) {
      return gone instanceof EnvoyConnection stream && stream.peer.equals(peer);
    }

    private EnvoyShare share(QuotaId id, long at) {
      return new EnvoyShare(id, period, at, this::assign);
    }

    private void assign(EnvoyShare share, Assignment assignment) {
      if (batch.add(assignment.action(share.id(), period, share.assignmentLifetime()))) {
        unsent.add(batch);
      }
    }

    /** The connection has closed. The Envoy's assignments hold until they expire. */
    void closed() {
      open.remove(this);
      buckets.values().forEach(bucket -> bucket.onDisconnect(this));
    }
  }

  /**
   * Registers a new connection, which is for one domain.
   *
   * @param peer the remote address, by which a reconnected Envoy is recognised
   * @param closer closes the connection
   */
  EnvoyConnection open(
      String peer, String domain, Consumer<RateLimitQuotaResponse> envoy, Runnable closer) {
    EnvoyConnection stream = new EnvoyConnection(peer, domain, envoy, closer);
    open.add(stream);
    return stream;
  }

  /** Closes all connections; Envoys keep their assignments, and connect to another instance. */
  @Override
  public void close() {
    open.forEach(stream -> stream.closer.run());
  }

  /** An unsigned count, saturated at the maximum cost. */
  private static long count(long reported) {
    return reported < 0 ? Call.MAX_COST : Math.min(reported, Call.MAX_COST);
  }

  private static double seconds(BucketQuotaUsage usage) {
    return Math.max(
        0, usage.getTimeElapsed().getSeconds() + usage.getTimeElapsed().getNanos() / 1e9);
  }
}

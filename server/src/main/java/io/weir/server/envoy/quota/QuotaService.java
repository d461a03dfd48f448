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
 * Hands out quotas to Envoys (RLQS): takes their reports, and once per period divides what the
 * rules let through among those who ask for it.
 *
 * <p>Event loops only take reports. Whatever takes longer, which is asking the rules and writing to
 * Envoys, is done elsewhere, bucket by bucket, so that a report never waits for more than one.
 */
public final class QuotaService implements AutoCloseable {
  private static final int MOST_BUCKETS = 10_000;

  /** What one report adds to the counts at most, so that no few reports make them overflow. */
  private static final long MOST_COUNTED = 1L << 32;

  private final Engine engine;
  private final Duration period;
  private final Executor work;
  private final Consumer<Throwable> faults;
  private final Map<QuotaId, QuotaBucket> buckets = new ConcurrentHashMap<>();
  private final LongAdder allowed = new LongAdder();
  private final LongAdder denied = new LongAdder();
  private final Set<EnvoyConnection> open = ConcurrentHashMap.newKeySet();
  private final Queue<AssignmentBatch> unsent = new ConcurrentLinkedQueue<>();
  private final AtomicLong now = new AtomicLong();

  /**
   * A desk.
   *
   * @param period how often {@link #tick} is called
   * @param work the thread that calls it, and does what is not for event loops
   * @param faults hears of errors that should not happen
   */
  public QuotaService(Engine engine, Duration period, Executor work, Consumer<Throwable> faults) {
    this.engine = engine;
    this.period = period;
    this.work = work;
    this.faults = faults;
  }

  /** Requests that Envoys let through by themselves. */
  public LongAdder allowed() {
    return allowed;
  }

  /** Requests that Envoys refused by themselves. */
  public LongAdder denied() {
    return denied;
  }

  /** Buckets that Envoys use now. */
  public int buckets() {
    return buckets.size();
  }

  /** Envoys that are connected. */
  public int streams() {
    return open.size();
  }

  /** A period begins. Completes when all Envoys have been told. */
  public CompletableFuture<Void> tick() {
    send(); // what waited for an answer that did not come
    long begun = now.incrementAndGet();
    CompletableFuture<Void> told = each(buckets.values(), bucket -> bucket.begin(begun));
    buckets.values().removeIf(QuotaBucket::giveUpIfUnused);
    return told;
  }

  /** Works on buckets, and sends what comes of all of them together. */
  private CompletableFuture<Void> each(
      Collection<QuotaBucket> some, Function<QuotaBucket, CompletionStage<Void>> task) {
    List<CompletableFuture<Void>> done = new ArrayList<>();
    for (QuotaBucket bucket : some) {
      try {
        done.add(task.apply(bucket).toCompletableFuture());
      } catch (RuntimeException | Error e) {
        faults.accept(e); // and the others have their turn
      }
    }
    return CompletableFuture.allOf(done.toArray(CompletableFuture[]::new))
        .thenRunAsync(this::send, work);
  }

  private void send() {
    for (AssignmentBatch mail = unsent.poll(); mail != null; mail = unsent.poll()) {
      try {
        mail.send();
      } catch (RuntimeException | Error e) {
        faults.accept(e);
      }
    }
  }

  /** The bucket of an id; null if there are too many. */
  private @Nullable QuotaBucket bucket(QuotaId id) {
    QuotaBucket known = buckets.get(id);
    return known != null ? known : newBucket(id);
  }

  private synchronized @Nullable QuotaBucket newBucket(QuotaId id) {
    return buckets.size() < MOST_BUCKETS
        ? buckets.computeIfAbsent(
            id, made -> new QuotaBucket(engine, work, faults, made, now.get()))
        : buckets.get(id);
  }

  /** One Envoy's connection. */
  final class EnvoyConnection {
    private final String peer;
    private final String domain;
    private final AssignmentBatch mail;
    private final Runnable ending;

    private EnvoyConnection(
        String peer, String domain, Consumer<RateLimitQuotaResponse> envoy, Runnable ending) {
      this.peer = peer;
      this.domain = domain;
      this.mail = new AssignmentBatch(envoy);
      this.ending = ending;
    }

    /**
     * Takes reports. The first about a bucket asks for an assignment: it comes at once if nobody
     * else uses the bucket, else with the next period.
     *
     * @throws InvalidRequestException if one is about no bucket
     */
    void onReport(List<BucketQuotaUsage> usages) {
      List<QuotaBucket> wanted = new ArrayList<>();
      for (BucketQuotaUsage usage : usages) {
        report(QuotaId.of(domain, usage.getBucketId()), usage, wanted);
      }
      if (!wanted.isEmpty()) {
        work.execute(() -> each(wanted, QuotaBucket::renewIfWanted));
      }
    }

    private void report(QuotaId id, BucketQuotaUsage said, List<QuotaBucket> wanted) {
      ReportedUsage usage =
          new ReportedUsage(
              count(said.getNumRequestsAllowed()),
              count(said.getNumRequestsDenied()),
              seconds(said));
      QuotaBucket bucket = bucket(id);
      while (bucket != null) {
        ReportResult taken = bucket.onReport(this, usage, this::wasBefore, at -> share(id, at));
        if (taken != ReportResult.TOO_LATE) {
          allowed.add(Math.min(usage.passed(), MOST_COUNTED));
          denied.add(Math.min(usage.refused(), MOST_COUNTED));
          if (taken == ReportResult.WANTED) {
            wanted.add(bucket);
          }
          return;
        }
        buckets.remove(id, bucket);
        bucket = bucket(id);
      }
      // no assignment: the Envoy does what it is configured for
    }

    private boolean wasBefore(Object gone) {
      return gone instanceof EnvoyConnection stream && stream.peer.equals(peer);
    }

    private EnvoyShare share(QuotaId id, long at) {
      return new EnvoyShare(id, period, at, this::tell);
    }

    private void tell(EnvoyShare share, Assignment assignment) {
      if (mail.add(assignment.action(share.id(), period, share.assignmentLifetime()))) {
        unsent.add(mail);
      }
    }

    /** The connection has ended. What the Envoy was told goes on until it expires. */
    void closed() {
      open.remove(this);
      buckets.values().forEach(bucket -> bucket.left(this));
    }
  }

  /**
   * A new connection, which speaks of one domain.
   *
   * @param peer the address it comes from, by which an Envoy that is back is known
   * @param ending ends it from here
   */
  EnvoyConnection open(
      String peer, String domain, Consumer<RateLimitQuotaResponse> envoy, Runnable ending) {
    EnvoyConnection stream = new EnvoyConnection(peer, domain, envoy, ending);
    open.add(stream);
    return stream;
  }

  /** Ends all connections; Envoys go on with what they were told, and ask elsewhere. */
  @Override
  public void close() {
    open.forEach(stream -> stream.ending.run());
  }

  /** A count, which is unsigned; all that is too much is alike. */
  private static long count(long said) {
    return said < 0 ? Call.MAX_COST : Math.min(said, Call.MAX_COST);
  }

  private static double seconds(BucketQuotaUsage usage) {
    return Math.max(
        0, usage.getTimeElapsed().getSeconds() + usage.getTimeElapsed().getNanos() / 1e9);
  }
}

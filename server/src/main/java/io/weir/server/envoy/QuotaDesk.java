package io.weir.server.envoy;

import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import io.weir.Call;
import io.weir.Weir;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Hands out quotas to Envoys (RLQS): takes their reports, and once per period divides what the
 * rules let through among those who ask for it.
 *
 * <p>This is no part of the way of a request, which Envoy decides on its own; one lock does.
 */
public final class QuotaDesk implements AutoCloseable {
  private static final int MOST_BUCKETS = 10_000;

  private final Weir weir;
  private final Duration period;
  private final Consumer<Throwable> faults;
  private final Map<QuotaId, QuotaBucket> buckets = new HashMap<>();
  private final LongAdder allowed = new LongAdder();
  private final LongAdder denied = new LongAdder();
  private final Set<Stream> open = new HashSet<>();
  private long now;

  /**
   * A desk.
   *
   * @param period how often {@link #tick} is called
   * @param faults hears of errors that should not happen
   */
  public QuotaDesk(Weir weir, Duration period, Consumer<Throwable> faults) {
    this.weir = weir;
    this.period = period;
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
  public synchronized int buckets() {
    return buckets.size();
  }

  /** Envoys that are connected. */
  public synchronized int streams() {
    return open.size();
  }

  /** A period begins. Completes when all Envoys have been told. */
  public CompletableFuture<Void> tick() {
    List<CompletableFuture<Void>> renewals = new ArrayList<>();
    synchronized (this) {
      now++;
      for (QuotaBucket bucket : List.copyOf(buckets.values())) {
        try {
          bucket.dropUnused(now);
          renewals.add(bucket.renew(now, this).toCompletableFuture());
        } catch (RuntimeException e) {
          faults.accept(e); // and the others are renewed
        }
      }
      buckets.values().removeIf(QuotaBucket::isEmpty);
    }
    return CompletableFuture.allOf(renewals.toArray(CompletableFuture[]::new));
  }

  /** One Envoy's connection. */
  final class Stream {
    private final String peer;
    private final String domain;
    private final Consumer<RateLimitQuotaResponse> envoy;
    private final Runnable ending;

    private Stream(
        String peer, String domain, Consumer<RateLimitQuotaResponse> envoy, Runnable ending) {
      this.peer = peer;
      this.domain = domain;
      this.envoy = envoy;
      this.ending = ending;
    }

    /**
     * Takes reports. The first about a bucket asks for an assignment: it comes at once if nobody
     * else uses the bucket, else with the next period.
     *
     * @throws BadQuestion if one is about no bucket
     */
    void reported(List<BucketQuotaUsage> usages) {
      synchronized (QuotaDesk.this) {
        for (BucketQuotaUsage usage : usages) {
          report(QuotaId.of(domain, usage.getBucketId()), usage);
        }
      }
    }

    private void report(QuotaId id, BucketQuotaUsage usage) {
      QuotaBucket bucket = buckets.get(id);
      if (bucket == null) {
        if (buckets.size() >= MOST_BUCKETS) {
          return; // no assignment: the Envoy does what it is configured for
        }
        bucket = new QuotaBucket(weir, faults, id);
        buckets.put(id, bucket);
      }
      QuotaShare share = bucket.share(this);
      boolean first = share == null;
      if (share == null) {
        bucket.isBack(gone -> gone instanceof Stream stream && stream.peer.equals(peer));
        share = new QuotaShare(id, period, now, this::send);
        bucket.join(this, share);
      }
      long passed = count(usage.getNumRequestsAllowed());
      long refused = count(usage.getNumRequestsDenied());
      allowed.add(passed);
      denied.add(refused);
      share.reported(passed + refused, seconds(usage), now);
      bucket.used(passed);
      if (first && bucket.isAlone()) {
        bucket.renew(now, QuotaDesk.this);
      }
    }

    private void send(QuotaShare share, Assignment assignment) {
      envoy.accept(assignment.message(share.id(), period, share.lasts()));
    }

    /** The connection has ended. What the Envoy was told goes on until it expires. */
    void closed() {
      synchronized (QuotaDesk.this) {
        open.remove(this);
        for (QuotaBucket bucket : buckets.values()) {
          QuotaShare share = bucket.share(this);
          if (share != null) {
            share.disconnected();
          }
        }
      }
    }
  }

  /**
   * A new connection, which speaks of one domain.
   *
   * @param peer the address it comes from, by which an Envoy that is back is known
   * @param ending ends it from here
   */
  synchronized Stream open(
      String peer, String domain, Consumer<RateLimitQuotaResponse> envoy, Runnable ending) {
    Stream stream = new Stream(peer, domain, envoy, ending);
    open.add(stream);
    return stream;
  }

  /** Ends all connections; Envoys go on with what they were told, and ask elsewhere. */
  @Override
  public void close() {
    List<Stream> ended;
    synchronized (this) {
      ended = List.copyOf(open);
    }
    ended.forEach(stream -> stream.ending.run());
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

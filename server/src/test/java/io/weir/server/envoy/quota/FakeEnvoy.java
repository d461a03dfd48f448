package io.weir.server.envoy.quota;

import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A fake Envoy with one bucket: enforces its assignment, and reports once a second. */
final class FakeEnvoy {
  private final QuotaService quotaService;
  private final String peer;
  private QuotaService.EnvoyConnection stream;
  private final BucketId bucket;
  final List<BucketAction> received = new ArrayList<>();
  private RateLimitStrategy strategy =
      RateLimitStrategy.newBuilder().setBlanketRule(RateLimitStrategy.BlanketRule.DENY_ALL).build();
  private long tokens;
  long passed;

  FakeEnvoy(QuotaService quotaService, Map<String, String> bucket) {
    this(quotaService, bucket, "192.0.2.1");
  }

  FakeEnvoy(QuotaService quotaService, Map<String, String> bucket, String peer) {
    this.quotaService = quotaService;
    this.peer = peer;
    this.bucket = BucketId.newBuilder().putAllBucket(bucket).build();
    this.stream = quotaService.open(peer, "shop", this::receive, () -> {});
  }

  private void receive(RateLimitQuotaResponse response) {
    for (BucketAction action : response.getBucketActionList()) {
      received.add(action);
      RateLimitStrategy next = action.getQuotaAssignmentAction().getRateLimitStrategy();
      if (!next.equals(strategy)) {
        strategy = next;
        tokens = next.getTokenBucket().getMaxTokens(); // a new bucket starts full
      }
    }
  }

  /** A second with this many requests, reported at its end. */
  void second(long requests) {
    report(pass(requests), requests);
  }

  /** A second with this many requests and no report; returns the number allowed. */
  long pass(long requests) {
    tokens =
        Math.min(
            strategy.getTokenBucket().getMaxTokens(),
            tokens + strategy.getTokenBucket().getTokensPerFill().getValue());
    boolean all =
        strategy.hasBlanketRule()
            && strategy.getBlanketRule() == RateLimitStrategy.BlanketRule.ALLOW_ALL;
    long admitted = all ? requests : Math.min(tokens, requests);
    tokens -= all ? 0 : admitted;
    passed += admitted;
    return admitted;
  }

  void report(long admitted, long requests) {
    stream.onReport(
        List.of(
            BucketQuotaUsage.newBuilder()
                .setBucketId(bucket)
                .setTimeElapsed(com.google.protobuf.Duration.newBuilder().setSeconds(1))
                .setNumRequestsAllowed(admitted)
                .setNumRequestsDenied(requests - admitted)
                .build()));
  }

  void disconnect() {
    stream.closed();
  }

  void reconnect() {
    stream = quotaService.open(peer, "shop", this::receive, () -> {});
  }

  long share() {
    return strategy.getTokenBucket().getMaxTokens();
  }

  RateLimitStrategy strategy() {
    return strategy;
  }

  BucketAction last() {
    return received.get(received.size() - 1);
  }
}

package io.weir.server.envoy.limit;

import io.weir.SettlementResult;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.time.TimeSource;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/**
 * Decides requests to Envoy's rate limit service by a configuration that can be replaced at any
 * time.
 *
 * <p>All descriptors of a request are counted, or none: if one is over its limit, the others are
 * not charged.
 */
public final class EnvoyLimiter {
  private static final SecureRandom RANDOM = new SecureRandom();

  /** How long a reservation can be refunded; the refund is part of the same call. */
  private static final Duration GIVE_BACK_WITHIN = Duration.ofSeconds(10);

  private final Store store;
  private final TimeSource time;
  private final Modes modes;
  private final BooleanSupplier killed;
  private volatile EnvoyConfig config;

  /**
   * Modes that apply to all limits.
   *
   * @param shadow every request is allowed; its statuses report what enforcement would do
   * @param quota every limit is in quota mode: the request is refused only if all limits refuse
   */
  public record Modes(boolean shadow, boolean quota) {
    public static final Modes PLAIN = new Modes(false, false);

    private Modes inShadow() {
      return shadow ? this : new Modes(true, quota);
    }
  }

  public EnvoyLimiter(Store store, TimeSource time, Modes modes, EnvoyConfig config) {
    this(store, time, modes, config, () -> false);
  }

  /**
   * A limiter with a kill switch.
   *
   * @param killed whether every limit is in shadow mode now
   */
  public EnvoyLimiter(
      Store store, TimeSource time, Modes modes, EnvoyConfig config, BooleanSupplier killed) {
    this.store = store;
    this.time = time;
    this.modes = modes;
    this.config = config;
    this.killed = killed;
  }

  /** The configuration in force. */
  public EnvoyConfig config() {
    return config;
  }

  /** Replaces the configuration as a whole; requests in flight finish under the old one. */
  public void config(EnvoyConfig next) {
    config = next;
  }

  /** Decides a request, and counts it if it is allowed. */
  public CompletionStage<EnvoyDecision> decide(EnvoyRequest request) {
    CompiledDomain domain = config.domain(request.domain()).orElse(null);
    if (domain == null) {
      return CompletableFuture.completedFuture(unknown(request));
    }
    Modes now = killed.getAsBoolean() ? modes.inShadow() : modes;
    EnvoyEvaluation evaluation = new EnvoyEvaluation(domain, request, now);
    if (evaluation.draws().isEmpty()) {
      return CompletableFuture.completedFuture(
          evaluation.decision(new TakeResult(true, List.of(), List.of()), 0));
    }
    if (evaluation.mayBeRefusedLater()) {
      return decideInTwoSteps(evaluation);
    }
    return store
        .take(evaluation.draws())
        .thenApply(result -> evaluation.decision(result, time.wallMicros()));
  }

  private static EnvoyDecision unknown(EnvoyRequest request) {
    List<DescriptorResult> statuses =
        java.util.Collections.nCopies(
            request.descriptors().size(), DescriptorResult.Unmatched.INSTANCE);
    return new EnvoyDecision(EnvoyDecision.Outcome.UNKNOWN_DOMAIN, statuses);
  }

  /**
   * Whether all quota descriptors are over is known only after all were drawn. If they are, the
   * draws of the other descriptors are refunded.
   */
  private CompletionStage<EnvoyDecision> decideInTwoSteps(EnvoyEvaluation evaluation) {
    long id = RANDOM.nextLong();
    return store
        .reserve(id, evaluation.draws())
        .thenCompose(
            result -> {
              EnvoyDecision decision = evaluation.decision(result, time.wallMicros());
              return decision.allowed() || !result.taken()
                  ? CompletableFuture.completedFuture(decision)
                  : giveBack(id, evaluation, result).thenApply(done -> decision);
            });
  }

  private CompletionStage<SettlementResult> giveBack(
      long id, EnvoyEvaluation evaluation, TakeResult result) {
    return store.settle(id, evaluation.reservedParts(result), GIVE_BACK_WITHIN);
  }
}

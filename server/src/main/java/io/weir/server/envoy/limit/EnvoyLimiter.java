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

/**
 * Answers requests to Envoy's rate limit service by a configuration that can be swapped at any
 * time.
 *
 * <p>All descriptors of a request are counted, or none: one that is over its limit costs the others
 * nothing.
 */
public final class EnvoyLimiter {
  private static final SecureRandom RANDOM = new SecureRandom();

  /** A give-back follows within the same call, however long that may take. */
  private static final Duration GIVE_BACK_WITHIN = Duration.ofSeconds(10);

  private final Store store;
  private final TimeSource time;
  private final Modes modes;
  private volatile EnvoyConfig config;

  /**
   * What holds for all limits.
   *
   * @param shadow every request passes; its statuses say what they would
   * @param quota every limit refuses only together with all others
   */
  public record Modes(boolean shadow, boolean quota) {
    public static final Modes PLAIN = new Modes(false, false);
  }

  public EnvoyLimiter(Store store, TimeSource time, Modes modes, EnvoyConfig config) {
    this.store = store;
    this.time = time;
    this.modes = modes;
    this.config = config;
  }

  /** The configuration that holds now. */
  public EnvoyConfig config() {
    return config;
  }

  /** Swaps the configuration, whole; requests under way finish under the old one. */
  public void config(EnvoyConfig next) {
    config = next;
  }

  /** Answers a request, and counts it if it may pass. */
  public CompletionStage<EnvoyDecision> decide(EnvoyRequest question) {
    CompiledDomain domain = config.domain(question.domain()).orElse(null);
    if (domain == null) {
      return CompletableFuture.completedFuture(unknown(question));
    }
    EnvoyEvaluation inquiry = new EnvoyEvaluation(domain, question, modes);
    if (inquiry.draws().isEmpty()) {
      return CompletableFuture.completedFuture(
          inquiry.decision(new TakeResult(true, List.of(), List.of()), 0));
    }
    if (inquiry.mayBeRefusedLater()) {
      return decideInTwoSteps(inquiry);
    }
    return store
        .take(inquiry.draws())
        .thenApply(taking -> inquiry.decision(taking, time.wallMicros()));
  }

  private static EnvoyDecision unknown(EnvoyRequest question) {
    List<DescriptorResult> statuses =
        java.util.Collections.nCopies(
            question.descriptors().size(), DescriptorResult.Unmatched.INSTANCE);
    return new EnvoyDecision(EnvoyDecision.Outcome.UNKNOWN_DOMAIN, statuses);
  }

  /**
   * That all quota descriptors are over is known only when all were asked. If so, what the others
   * took is given back.
   */
  private CompletionStage<EnvoyDecision> decideInTwoSteps(EnvoyEvaluation inquiry) {
    long id = RANDOM.nextLong();
    return store
        .reserve(id, inquiry.draws())
        .thenCompose(
            taking -> {
              EnvoyDecision verdict = inquiry.decision(taking, time.wallMicros());
              return verdict.allowed() || !taking.taken()
                  ? CompletableFuture.completedFuture(verdict)
                  : giveBack(id, inquiry, taking).thenApply(done -> verdict);
            });
  }

  private CompletionStage<SettlementResult> giveBack(
      long id, EnvoyEvaluation inquiry, TakeResult taking) {
    return store.settle(id, inquiry.reservedParts(taking), GIVE_BACK_WITHIN);
  }
}

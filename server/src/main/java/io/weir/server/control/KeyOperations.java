package io.weir.server.control;

import io.weir.control.audit.Origin;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * One key of a rule: its state, an empty count, a give-back. Works on the store that decides,
 * memory or Redis. A store that is unavailable fails the stage; nothing has been changed then.
 */
public interface KeyOperations {
  /**
   * A key.
   *
   * @param rule the id of an enforced or shadow rule
   * @param values in the order of the rule's dimensions
   */
  record KeyId(String rule, List<String> values) {
    public KeyId {
      values = List.copyOf(values);
    }
  }

  /**
   * The state of a key under one limit of a rule.
   *
   * @param name the limit's name; empty for a rule with one limit
   * @param kind {@code rate}, {@code quota} or {@code concurrency}
   * @param limit N of the limit in force for this key, overrides included; empty if unlimited
   * @param override what an override in force does, such as {@code 500/min}, {@code x2} or {@code
   *     unlimited}
   * @param blockedUntil the end of a block or signal that refuses the key
   */
  record KeyState(
      String name,
      String kind,
      Optional<Long> limit,
      long remaining,
      Duration reset,
      Optional<String> override,
      Optional<Instant> blockedUntil) {}

  /** The answer to a request about a key. */
  sealed interface KeyResult {
    /** The state of the key after the request, one entry per limit. */
    record States(List<KeyState> limits) implements KeyResult {}

    /** 404: no rule in force has this id. */
    record UnknownRule() implements KeyResult {}

    /** 400: the rule has another number of dimensions, or the operation does not apply to it. */
    record NotApplicable(String reason) implements KeyResult {}
  }

  /** The state of a key; takes nothing. */
  CompletionStage<KeyResult> look(KeyId key);

  /** Empties the usage of a key, also on other instances that hold leases of it. */
  CompletionStage<KeyResult> reset(KeyId key, Origin origin);

  /** Gives tokens back to a key, up to its full bucket. */
  CompletionStage<KeyResult> grant(KeyId key, long tokens, Origin origin);
}

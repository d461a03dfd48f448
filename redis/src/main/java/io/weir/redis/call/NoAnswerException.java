package io.weir.redis.call;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;

/**
 * The reason why a node did not answer. Used inside this module only; it never reaches a caller of
 * the store.
 */
public final class NoAnswerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The kinds of failure, as metrics name them. */
  public enum Kind {
    TIMEOUT,
    DISCONNECTED,
    QUEUE_FULL,
    READONLY,
    OOM,
    AUTH,
    LOADING,
    BUSY,
    BREAKER,
    ERROR;

    public String label() {
      return this == BREAKER ? "breaker" : name().toLowerCase(Locale.ROOT);
    }

    /** Whether the failure concerns the node, not just the keys of one call. */
    boolean isOfNode() {
      return this != ERROR;
    }
  }

  /** Error codes of a node that serves no call at the moment, whatever the keys. */
  private static final List<String> NODE_CODES =
      List.of("BUSY", "MISCONF", "CLUSTERDOWN", "NOREPLICAS", "UNKILLABLE", "MOVED", "ASK");

  /** Error codes of a node that rejects this user or the commands of the scripts. */
  private static final List<String> AUTH_CODES = List.of("NOAUTH", "NOPERM", "WRONGPASS");

  /**
   * The same for a command inside a script, which has no error code. Up to Redis 7.0, and from 7.2
   * on.
   */
  private static final List<String> REFUSED_IN_SCRIPT =
      List.of("The user executing the script can't ", "ACL failure in script");

  private final Kind kind;
  private final boolean mayHaveBeenApplied;

  private NoAnswerException(Kind kind, String reason, boolean mayHaveBeenApplied) {
    super(reason, null, false, false);
    this.kind = kind;
    this.mayHaveBeenApplied = mayHaveBeenApplied;
  }

  public static NoAnswerException timeout() {
    return new NoAnswerException(Kind.TIMEOUT, "no answer within the deadline", true);
  }

  /** No time was left to send the call. */
  public static NoAnswerException noTimeLeft() {
    return new NoAnswerException(Kind.TIMEOUT, "no time was left to send the call", false);
  }

  /** The store was closed while the call was in flight or waiting. */
  public static NoAnswerException closed() {
    return new NoAnswerException(Kind.DISCONNECTED, "the store is closed", true);
  }

  static NoAnswerException queueFull() {
    return new NoAnswerException(Kind.QUEUE_FULL, "too many calls are waiting", false);
  }

  static NoAnswerException breakerOpen(String reason) {
    return new NoAnswerException(Kind.BREAKER, reason, false);
  }

  public static NoAnswerException unavailable(String reason) {
    return new NoAnswerException(Kind.DISCONNECTED, reason, false);
  }

  /** Classifies an error of the client or of Redis. */
  public static NoAnswerException from(Throwable problem) {
    Throwable cause = problem;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof NoAnswerException known) {
      return known;
    }
    String reason = String.valueOf(cause.getMessage());
    if (cause instanceof RedisCommandExecutionException) {
      return new NoAnswerException(kindOf(reason), reason, true);
    }
    // The client uses this message for each of its queues.
    boolean full = reason.contains(" size exceeded: ");
    return new NoAnswerException(full ? Kind.QUEUE_FULL : Kind.DISCONNECTED, reason, true);
  }

  /** The first word of an error is its code, if it has one. */
  private static Kind kindOf(String text) {
    String reason = withoutPlace(text);
    if (reason.startsWith("READONLY") || reason.contains("READONLY You can't write")) {
      return Kind.READONLY;
    } else if (reason.startsWith("OOM") || reason.contains("OOM command not allowed")) {
      return Kind.OOM;
    } else if (AUTH_CODES.stream().anyMatch(reason::startsWith)
        || REFUSED_IN_SCRIPT.stream().anyMatch(reason::contains)) {
      return Kind.AUTH;
    } else if (reason.startsWith("LOADING") || reason.startsWith("MASTERDOWN")) {
      return Kind.LOADING;
    } else if (NODE_CODES.stream().anyMatch(reason::startsWith)) {
      return Kind.BUSY;
    }
    return Kind.ERROR;
  }

  /** Redis 6.2 puts the position in the script first, and then {@code -CODE …}. */
  private static String withoutPlace(String reason) {
    int dash = reason.startsWith("ERR Error running script") ? reason.indexOf(": -") : -1;
    return dash < 0 ? reason : reason.substring(dash + 3);
  }

  public Kind kind() {
    return kind;
  }

  /** Whether the script may have run. If false, it certainly did not. */
  public boolean mayHaveBeenApplied() {
    return mayHaveBeenApplied;
  }
}

package io.weir.redis.call;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;

/**
 * Why a node did not answer; a value that travels inside this package and never reaches a caller.
 */
public final class NoAnswerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The kinds of trouble, as metrics name them. */
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

    /** Whether it says something about the node, and not about the keys of one call. */
    boolean isOfNode() {
      return this != ERROR;
    }
  }

  /** What a node says that serves nobody just now, whatever the keys. */
  private static final List<String> NODE_CODES =
      List.of("BUSY", "MISCONF", "CLUSTERDOWN", "NOREPLICAS", "UNKILLABLE", "MOVED", "ASK");

  /** What a node says that does not let this user in, or do what calls do. */
  private static final List<String> AUTH_CODES = List.of("NOAUTH", "NOPERM", "WRONGPASS");

  /** The same of a command inside a script, which has no code: up to Redis 7.0, and from 7.2 on. */
  private static final List<String> REFUSED_IN_SCRIPT =
      List.of("The user executing the script can't ", "ACL failure in script");

  private final Kind kind;
  private final boolean sent;

  private NoAnswerException(Kind kind, String reason, boolean sent) {
    super(reason, null, false, false);
    this.kind = kind;
    this.sent = sent;
  }

  public static NoAnswerException timeout() {
    return new NoAnswerException(Kind.TIMEOUT, "no answer within the deadline", true);
  }

  /** Of a call for which no time was left. */
  public static NoAnswerException noTimeLeft() {
    return new NoAnswerException(Kind.TIMEOUT, "no time was left to ask", false);
  }

  /** Of a call that was under way, or waited to be. */
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

  /** What an error of the client or of Redis means. */
  public static NoAnswerException from(Throwable problem) {
    Throwable cause = problem;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof NoAnswerException unanswered) {
      return unanswered;
    }
    String reason = String.valueOf(cause.getMessage());
    if (cause instanceof RedisCommandExecutionException) {
      return new NoAnswerException(kindOf(reason), reason, true);
    }
    // The client has several queues, and says this of each.
    boolean full = reason.contains(" size exceeded: ");
    return new NoAnswerException(full ? Kind.QUEUE_FULL : Kind.DISCONNECTED, reason, true);
  }

  /** An error's first word is its code, where it has one. */
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

  /** Redis 6.2 says first where in a script an error was raised, and then {@code -CODE …}. */
  private static String withoutPlace(String reason) {
    int dash = reason.startsWith("ERR Error running script") ? reason.indexOf(": -") : -1;
    return dash < 0 ? reason : reason.substring(dash + 3);
  }

  public Kind kind() {
    return kind;
  }

  /** Whether the call may have been heard; if not, it certainly was not. */
  public boolean mayHaveBeenApplied() {
    return sent;
  }
}

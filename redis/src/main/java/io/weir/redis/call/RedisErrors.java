package io.weir.redis.call;

import io.lettuce.core.RedisCommandExecutionException;
import io.weir.redis.RedisOptions;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.util.Locale;
import javax.net.ssl.SSLException;

/** Explains errors of Redis and of its client in one line, with advice. */
public final class RedisErrors {
  private RedisErrors() {}

  /**
   * The root cause. Stops at an unknown host, because the resolver's exceptions below it do not
   * contain the name.
   */
  private static Throwable root(Throwable problem) {
    Throwable cause = problem;
    while (cause.getCause() != null && !(cause instanceof UnknownHostException)) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static boolean isAboutTls(Throwable problem) {
    for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
      if (cause instanceof SSLException || cause instanceof GeneralSecurityException) {
        return true;
      }
    }
    return false;
  }

  /** The reason, in one line. */
  public static String reason(Throwable problem) {
    Throwable cause = root(problem);
    String text = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    if (cause instanceof ConnectException) {
      return "connection refused (" + text + ")";
    } else if (cause instanceof UnknownHostException) {
      return "unknown host name (" + text + ")";
    } else if (isAboutTls(problem)) {
      return "TLS failed (" + text + ")";
    }
    return text.isEmpty() ? cause.getClass().getSimpleName() : text;
  }

  /** A reason as part of a log line: plain words without a full stop. */
  public static String inLog(String reason) {
    if (reason.startsWith("Currently not connected")) { // Lettuce's message
      return "there is no connection";
    } else if (isAboutPassword(reason)) {
      String code = reason.startsWith("NOAUTH") ? "NOAUTH" : "WRONGPASS";
      return "Redis refuses the user or the password (" + code + ")";
    }
    String line = reason.lines().findFirst().orElse("").strip();
    return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
  }

  /** Whether the password is wrong, missing or superfluous, or the user unknown. */
  public static boolean isAboutPassword(String reason) {
    return reason.startsWith("WRONGPASS")
        || reason.startsWith("NOAUTH")
        || reason.contains("called without any password");
  }

  /** Advice for a connection that could not be made. */
  public static String advice(Throwable problem, RedisOptions options) {
    String reason = reason(problem);
    if (reason.startsWith("NOAUTH")) {
      return "this Redis requires a password: set store.redis.password (or password_file)";
    } else if (isAboutPassword(reason)) {
      return "correct store.redis.user and store.redis.password (or password_file)";
    } else if (reason.startsWith("NOPERM")) {
      return "allow this user ROLE, and SELECT if the address contains a database number";
    } else if (reason.startsWith("LOADING")) {
      return "wait until it has loaded its data";
    } else if (reason.startsWith("DENIED")) {
      return "Redis is in protected mode: give it a password, or bind it to an address";
    } else if (reason.startsWith("TLS failed")) {
      return "does this port speak TLS (rediss://)? set store.redis.tls.ca to the CA of its certificate";
    } else if (reason.startsWith("connection refused") || reason.startsWith("unknown host name")) {
      return "is Redis running, and is the address right?";
    } else if (reason.startsWith("ERR DB index")) {
      return "use a database number that exists";
    } else if (root(problem) instanceof RedisCommandExecutionException) {
      return "this is an error from Redis: check its configuration";
    }
    return options.address().tls()
        ? "does this port speak TLS, and can this machine reach it?"
        : "can this machine reach it? if Redis requires TLS, use rediss://";
  }

  /** {@code 0.21 ms}. */
  public static String millis(long micros) {
    return String.format(Locale.ROOT, "%.2f ms", micros / 1000.0);
  }
}

package io.weir.redis.call;

import io.lettuce.core.RedisCommandExecutionException;
import io.weir.redis.RedisOptions;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.util.Locale;
import javax.net.ssl.SSLException;

/** Errors of Redis and of its client in words, with what to do about them. */
public final class RedisErrors {
  private RedisErrors() {}

  /** What it began with. What a resolver says below an unknown name does not tell the name. */
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

  /** What went wrong, in one line. */
  public static String reason(Throwable problem) {
    Throwable cause = root(problem);
    String text = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    if (cause instanceof ConnectException) {
      return "nobody listens there (" + text + ")";
    } else if (cause instanceof UnknownHostException) {
      return "the name is unknown (" + text + ")";
    } else if (isAboutTls(problem)) {
      return "no TLS (" + text + ")";
    }
    return text.isEmpty() ? cause.getClass().getSimpleName() : text;
  }

  /** A reason as it stands inside a line of the log: plain words without a full stop. */
  public static String inLog(String reason) {
    if (reason.startsWith("Currently not connected")) { // the client's words
      return "there is no connection";
    } else if (isAboutPassword(reason)) {
      String code = reason.startsWith("NOAUTH") ? "NOAUTH" : "WRONGPASS";
      return "Redis refuses the user or the password (" + code + ")";
    }
    String line = reason.lines().findFirst().orElse("").strip();
    return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
  }

  /** Whether a reason is that a password is wrong, missing or needless, or the user unknown. */
  public static boolean isAboutPassword(String reason) {
    return reason.startsWith("WRONGPASS")
        || reason.startsWith("NOAUTH")
        || reason.contains("called without any password");
  }

  /** What to do about a connection that could not be made. */
  public static String advice(Throwable problem, RedisOptions options) {
    String reason = reason(problem);
    if (reason.startsWith("NOAUTH")) {
      return "this Redis asks for a password: set store.redis.password (or password_file)";
    } else if (isAboutPassword(reason)) {
      return "set the right store.redis.user and store.redis.password (or password_file)";
    } else if (reason.startsWith("NOPERM")) {
      return "allow this user ROLE, and SELECT if the address names a database";
    } else if (reason.startsWith("LOADING")) {
      return "wait until it has loaded its data";
    } else if (reason.startsWith("DENIED")) {
      return "Redis is in protected mode: give it a password, or bind it to an address";
    } else if (reason.startsWith("no TLS")) {
      return "is it rediss:// there? name its authority in store.redis.tls.ca";
    } else if (reason.startsWith("nobody") || reason.startsWith("the name")) {
      return "is Redis running, and is the address right?";
    } else if (reason.startsWith("ERR DB index")) {
      return "name a database that exists";
    } else if (root(problem) instanceof RedisCommandExecutionException) {
      return "that is what Redis says: look at its configuration";
    }
    return options.address().tls()
        ? "is there TLS at that port, and may this machine reach it?"
        : "may this machine reach it? a Redis that wants TLS is rediss://";
  }

  /** {@code 0.21 ms}. */
  public static String millis(long micros) {
    return String.format(Locale.ROOT, "%.2f ms", micros / 1000.0);
  }
}

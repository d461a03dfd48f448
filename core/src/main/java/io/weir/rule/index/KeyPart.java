package io.weir.rule.index;

import io.weir.Call;
import io.weir.rule.Match;
import io.weir.rule.PathPattern;
import org.jspecify.annotations.Nullable;

/** One part of a rule's key, and the source of its value. */
sealed interface KeyPart {
  /** The part with this name in rule documents. */
  static KeyPart of(String name) {
    return switch (name) {
      case "method" -> new Method();
      case "path" -> new Path();
      case "route" -> new Route();
      case "host" -> new Host();
      default -> new Attribute(name);
    };
  }

  /** The value in a call, or null if the call has none. */
  @Nullable String valueOf(Call call, PathPattern route);

  /** The method; HEAD counts as GET. */
  record Method() implements KeyPart {
    @Override
    public String valueOf(Call call, PathPattern route) {
      return Match.methodOf(call);
    }
  }

  /** The normalized path. */
  record Path() implements KeyPart {
    @Override
    public String valueOf(Call call, PathPattern route) {
      return call.normalPath();
    }
  }

  /** The pattern that the path matched. */
  record Route() implements KeyPart {
    @Override
    public String valueOf(Call call, PathPattern route) {
      return route.text();
    }
  }

  /** The host name. */
  record Host() implements KeyPart {
    @Override
    public @Nullable String valueOf(Call call, PathPattern route) {
      String host = Match.hostOf(call);
      return host.isEmpty() ? null : host;
    }
  }

  /** An attribute of the call. */
  record Attribute(String name) implements KeyPart {
    @Override
    public @Nullable String valueOf(Call call, PathPattern route) {
      return call.attribute(name);
    }
  }
}

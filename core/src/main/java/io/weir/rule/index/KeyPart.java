package io.weir.rule.index;

import io.weir.Call;
import io.weir.rule.Match;
import io.weir.rule.PathPattern;
import org.jspecify.annotations.Nullable;

/** One part of a rule's key, and where its value comes from. */
sealed interface KeyPart {
  /** The part by the name a rule document gives it. */
  static KeyPart of(String name) {
    return switch (name) {
      case "method" -> new Method();
      case "path" -> new Path();
      case "route" -> new Route();
      case "host" -> new Host();
      default -> new Attribute(name);
    };
  }

  /** The value for a call, or null if it has none. */
  @Nullable String valueOf(Call call, PathPattern route);

  /** The method; HEAD counts as GET. */
  record Method() implements KeyPart {
    @Override
    public String valueOf(Call call, PathPattern route) {
      return Match.methodOf(call);
    }
  }

  /** The path in normal form. */
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

  /** The host's name. */
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

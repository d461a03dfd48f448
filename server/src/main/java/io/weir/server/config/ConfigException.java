package io.weir.server.config;

import java.util.List;

/** An invalid configuration, with all reasons, one line each. */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1L;

  private final List<String> reasons;

  public ConfigException(List<String> reasons) {
    super(String.join("\n", reasons));
    this.reasons = List.copyOf(reasons);
  }

  /** The reasons, one line each. */
  public List<String> reasons() {
    return reasons;
  }
}

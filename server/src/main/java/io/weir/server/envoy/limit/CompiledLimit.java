package io.weir.server.envoy.limit;

import io.weir.Mode;
import io.weir.rules.envoy.EnvoyDescriptor;
import io.weir.rules.envoy.EnvoyLimit;
import io.weir.store.Pool;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A compiled limit: a limit of a file with its id and the pool that holds its counts. */
public final class CompiledLimit {
  private final String id;
  private final EnvoyLimit definition;
  private final EnvoyDescriptor.DescriptorOptions options;
  private final @Nullable Pool pool;

  /**
   * Creates a compiled limit.
   *
   * @param id its name in metrics, and of its counts in the store
   * @param pool null if it is unlimited
   */
  CompiledLimit(
      String id,
      EnvoyLimit definition,
      EnvoyDescriptor.DescriptorOptions options,
      @Nullable Pool pool) {
    this.id = id;
    this.definition = definition;
    this.options = options;
    this.pool = pool;
  }

  /** The name in metrics; made of the domain, keys and values that lead to it in the file. */
  public String id() {
    return id;
  }

  /** The name in responses; empty if the file sets none. */
  public String name() {
    return definition.name();
  }

  /** Names of limits that are skipped if this one matches. */
  List<String> replaces() {
    return definition.replaces();
  }

  public boolean isUnlimited() {
    return pool == null;
  }

  /** Whether it is in shadow mode: counted, but never refuses. */
  public boolean isShadow() {
    return options.shadow();
  }

  /** Whether it is in quota mode: refuses only if all quota limits of the request refuse. */
  public boolean isQuota() {
    return options.quota();
  }

  Mode mode() {
    return options.shadow() ? Mode.SHADOW : Mode.ENFORCE;
  }

  /** The pool of its counts; not for an unlimited limit. */
  Pool pool() {
    if (pool == null) {
      throw new IllegalStateException(id + " is unlimited");
    }
    return pool;
  }

  /** Its numbers; not for an unlimited limit. */
  public EnvoyLimit.Counted counted() {
    return (EnvoyLimit.Counted) definition.terms();
  }

  @Override
  public String toString() {
    return id;
  }
}

package io.weir.server.envoy.limit;

import io.weir.Mode;
import io.weir.rules.envoy.EnvoyDescriptor;
import io.weir.rules.envoy.EnvoyLimit;
import io.weir.store.Pool;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A limit made ready for requests: its place in the file has become a pool of counts. */
public final class CompiledLimit {
  private final String id;
  private final EnvoyLimit said;
  private final EnvoyDescriptor.DescriptorOptions traits;
  private final @Nullable Pool pool;

  /**
   * A limit.
   *
   * @param id names it in metrics, and its counts in the store
   * @param pool null if it is unlimited
   */
  CompiledLimit(
      String id, EnvoyLimit said, EnvoyDescriptor.DescriptorOptions traits, @Nullable Pool pool) {
    this.id = id;
    this.said = said;
    this.traits = traits;
    this.pool = pool;
  }

  /** Names it in metrics; made of the domain, keys and values that lead to it in the file. */
  public String id() {
    return id;
  }

  /** What answers call it; empty if the file does not say. */
  public String name() {
    return said.name();
  }

  /** Names of limits that are left out where this one is met. */
  List<String> replaces() {
    return said.replaces();
  }

  public boolean isUnlimited() {
    return pool == null;
  }

  /** Whether it is counted and never refuses. */
  public boolean isShadow() {
    return traits.shadow();
  }

  /** Whether it refuses only together with all others of this kind. */
  public boolean isQuota() {
    return traits.quota();
  }

  Mode mode() {
    return traits.shadow() ? Mode.SHADOW : Mode.ENFORCE;
  }

  /** Its counts; only of a limit that has any. */
  Pool pool() {
    if (pool == null) {
      throw new IllegalStateException(id + " is unlimited");
    }
    return pool;
  }

  /** Its numbers; only of a limit that has any. */
  public EnvoyLimit.Counted counted() {
    return (EnvoyLimit.Counted) said.terms();
  }

  @Override
  public String toString() {
    return id;
  }
}

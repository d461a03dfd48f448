package io.weir.engine;

import io.weir.DecisionListener;
import io.weir.OnFail;
import io.weir.guard.NewKeyCap;
import io.weir.observe.AdmissionAuditor;
import io.weir.rule.RuleSet;
import io.weir.store.Store;
import io.weir.store.memory.MemoryStore;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Builds an {@link Engine}. */
public final class EngineBuilder {
  RuleSet rules = RuleSet.EMPTY;
  @Nullable Store store;
  @Nullable MemoryStore local;
  TimeSource time = SystemTime.INSTANCE;
  byte[] secret = {};
  @Nullable IntSupplier instances;
  @Nullable DecisionListener listener;
  boolean audited;
  boolean quotaUsage;
  int newKeysPerAddress = NewKeyCap.DEFAULT_MOST;

  EngineBuilder() {}

  /** The initial rules; none by default. */
  public EngineBuilder rules(RuleSet rules) {
    this.rules = rules;
    return this;
  }

  /**
   * The store for all state; the memory of this process by default. Rules with scope instance
   * always stay in this process. While the store is unavailable, each rule decides by its {@link
   * OnFail}.
   */
  public EngineBuilder store(Store store) {
    this.store = store;
    return this;
  }

  /** The memory store for state that stays in this process beside a shared store. */
  public EngineBuilder local(MemoryStore local) {
    this.local = local;
    return this;
  }

  /** Another clock, for tests and simulations. */
  public EngineBuilder time(TimeSource time) {
    this.time = time;
    return this;
  }

  /**
   * The secret that signs reservations. Instances that settle each other's reservations share it.
   * Random by default.
   */
  public EngineBuilder reservationSecret(byte[] secret) {
    this.secret = secret.clone();
    return this;
  }

  /**
   * The number of instances that share the store, instead of the store's own count. While the store
   * is unavailable, each instance applies limits divided by this number.
   */
  public EngineBuilder instances(IntSupplier instances) {
    this.instances = instances;
    return this;
  }

  /** A listener that is notified of every decision. */
  public EngineBuilder listener(DecisionListener listener) {
    this.listener = listener;
    return this;
  }

  /** Recounts the admissions of a few keys of each rule; see {@link AdmissionAuditor}. */
  public EngineBuilder auditAdmissions() {
    this.audited = true;
    return this;
  }

  /** Follows the counts of quotas; see {@link io.weir.observe.QuotaUsage}. */
  public EngineBuilder followQuotas() {
    this.quotaUsage = true;
    return this;
  }

  /**
   * How many keys that are new to this instance an address may use per rule and minute; see {@link
   * NewKeyCap}.
   */
  public EngineBuilder newKeysPerAddress(int most) {
    this.newKeysPerAddress = most;
    return this;
  }

  /** The number of instances: as set, or as the store counts them. */
  IntSupplier instanceCount() {
    if (instances != null) {
      return instances;
    }
    Store shared = store;
    return shared == null ? () -> 1 : shared::instances;
  }

  public Engine build() {
    return new Engine(this);
  }
}

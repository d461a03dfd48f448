package io.weir.adjust;

import io.weir.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The overrides, blocks and signals of one key, for all rules. */
public final class KeyControls {
  /** {@link #blockedUntil} if the key is not blocked. */
  public static final long NOT_BLOCKED = Long.MIN_VALUE;

  private static final OverrideControl[] NO_OVERRIDES = {};
  private static final BlockControl[] NO_BLOCKS = {};
  private static final SignalControl[] NO_SIGNALS = {};

  private final KeyIdentity identity;
  private final OverrideControl[] overrides;
  private final BlockControl[] blocks;
  private final SignalControl[] signals;

  /** The last key whose digest was compared and is equal: most calls have the same. */
  private volatile @Nullable Key verified;

  private KeyControls(Draft draft) {
    this.identity = draft.identity;
    this.overrides = draft.overrides.toArray(NO_OVERRIDES);
    this.blocks = draft.blocks.toArray(NO_BLOCKS);
    this.signals = draft.signals.toArray(NO_SIGNALS);
  }

  /** Collects the controls of one key. */
  static final class Draft {
    private final KeyIdentity identity;
    final List<OverrideControl> overrides = new ArrayList<>();
    final List<BlockControl> blocks = new ArrayList<>();
    final List<SignalControl> signals = new ArrayList<>();

    Draft(KeyIdentity identity) {
      this.identity = identity;
    }

    KeyControls build() {
      return new KeyControls(this);
    }
  }

  KeyIdentity identity() {
    return identity;
  }

  /** Whether these are the controls of a key whose 64-bit hash is equal. */
  boolean isOf(Key key) {
    if (key.equals(verified)) {
      return true;
    }
    if (!KeyIdentity.digest(key).equals(identity.sha256())) {
      return false;
    }
    verified = key;
    return true;
  }

  /**
   * The end of the longest block of the key under a rule, or of a signal that blocks; in µs on the
   * wall clock.
   */
  public long blockedUntil(String rule, long wallMicros) {
    long until = NOT_BLOCKED;
    for (BlockControl block : blocks) {
      if (block.isInForce(rule, wallMicros)) {
        until = Math.max(until, block.span().until());
      }
    }
    SignalControl signal = newestSignal(rule, wallMicros);
    return signal != null && signal.severity() == Severity.REFUSE
        ? Math.max(until, signal.span().until())
        : until;
  }

  /**
   * What override and signal do to the limits of a rule, if the key is not blocked.
   *
   * @param killed whether a kill switch covers the rule, which lifts signals
   */
  public Adjustment adjustment(String rule, long wallMicros, boolean killed) {
    OverrideControl override = overrideOf(rule, wallMicros);
    if (override != null) {
      override.use(wallMicros);
    }
    return adjustment(override, rule, wallMicros, killed);
  }

  /** As {@link #adjustment}, for operators who look: the override counts as not used. */
  public Adjustment peek(String rule, long wallMicros, boolean killed) {
    return adjustment(overrideOf(rule, wallMicros), rule, wallMicros, killed);
  }

  private Adjustment adjustment(
      @Nullable OverrideControl override, String rule, long wallMicros, boolean killed) {
    SignalControl signal = killed ? null : newestSignal(rule, wallMicros);
    int severity =
        signal == null || signal.severity() == Severity.REFUSE ? 0 : signal.severity().number();
    return override == null ? Adjustment.bySignal(severity) : override.adjustment(severity);
  }

  private @Nullable OverrideControl overrideOf(String rule, long wallMicros) {
    OverrideControl latest = null;
    for (OverrideControl override : overrides) {
      if (override.rule().equals(rule)
          && override.span().covers(wallMicros)
          && (latest == null || override.id() > latest.id())) {
        latest = override;
      }
    }
    return latest;
  }

  private @Nullable SignalControl newestSignal(String rule, long wallMicros) {
    SignalControl newest = null;
    for (SignalControl signal : signals) {
      if (signal.isInForce(rule, wallMicros) && (newest == null || signal.isNewerThan(newest))) {
        newest = signal;
      }
    }
    return newest;
  }

  // ---- for explanations and lookups of a key

  /** The override in force. */
  public Optional<OverrideControl> override(String rule, long wallMicros) {
    return Optional.ofNullable(overrideOf(rule, wallMicros));
  }

  /** The signal in force. */
  public Optional<SignalControl> signal(String rule, long wallMicros) {
    return Optional.ofNullable(newestSignal(rule, wallMicros));
  }

  /** The controls in force as a text for operators; empty if there are none. */
  String describe(String rule, long wallMicros) {
    StringBuilder text = new StringBuilder();
    for (BlockControl block : blocks) {
      if (block.isInForce(rule, wallMicros)) {
        add(text, "block " + block.id(), block.span());
      }
    }
    OverrideControl override = overrideOf(rule, wallMicros);
    if (override != null) {
      add(text, "override " + override.id() + ": " + override.effect(), override.span());
    }
    SignalControl signal = newestSignal(rule, wallMicros);
    if (signal != null) {
      add(text, "signal " + signal.id() + ": " + signal.severity(), signal.span());
    }
    return text.toString();
  }

  private static void add(StringBuilder text, String control, ControlSpan span) {
    text.append("; ").append(control).append(" until ").append(span.expires());
  }

  /** Whether these do the same as others at any time. */
  boolean isSame(KeyControls other) {
    if (!identity.equals(other.identity)
        || overrides.length != other.overrides.length
        || !List.of(blocks).equals(List.of(other.blocks))
        || !List.of(signals).equals(List.of(other.signals))) {
      return false;
    }
    for (int i = 0; i < overrides.length; i++) {
      if (!overrides[i].isSame(other.overrides[i])) {
        return false;
      }
    }
    return true;
  }
}

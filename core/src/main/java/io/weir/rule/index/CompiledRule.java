package io.weir.rule.index;

import io.weir.Call;
import io.weir.Key;
import io.weir.Mode;
import io.weir.adjust.Adjustment;
import io.weir.adjust.OverrideEffect;
import io.weir.rule.Match;
import io.weir.rule.OnMissing;
import io.weir.rule.PathPattern;
import io.weir.rule.Rule;
import io.weir.rule.TenantPlan;
import io.weir.rule.penalty.RulePenalty;
import io.weir.rule.penalty.TightenedKeys;
import io.weir.store.Draw;
import io.weir.store.Pool;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A rule compiled for decisions, with its key parts resolved and its pools created. */
final class CompiledRule {
  /** The value of a missing part of a key; no attribute has an empty value. */
  private static final String MISSING = "";

  final Rule rule;
  final int ordinal;
  final RulePools pools;
  private final KeyPart[] key;

  /** Filled when controls are loaded; equal adjustments keep their pools and so their leases. */
  private final Map<Adjustment, AdjustedPools> adjusted = new ConcurrentHashMap<>();

  /** Whether the rule applies to every call to its paths. */
  private final boolean byPathOnly;

  /** The end of the rule on the wall clock, in µs; {@link Long#MAX_VALUE} if it has none. */
  private final long expiresMicros;

  private final boolean marks;

  /** The penalty, if the rule has one. */
  private final @Nullable RulePenalty penalty;

  private final TightenedKeys tightened;

  CompiledRule(Rule rule, int ordinal, Map<String, TenantPlan> tenants, TightenedKeys tightened) {
    this.rule = rule;
    this.ordinal = ordinal;
    this.pools = new RulePools(rule, tenants);
    this.key = rule.key().stream().map(KeyPart::of).toArray(KeyPart[]::new);
    this.byPathOnly = rule.match().isPathOnly() && rule.except().isEmpty();
    this.expiresMicros = rule.options().expires().map(CompiledRule::micros).orElse(Long.MAX_VALUE);
    this.marks = rule.options().marks();
    this.penalty = rule.options().penalty().map(any -> new RulePenalty(rule, any)).orElse(null);
    this.tightened = tightened;
  }

  /** A moment in µs since 1970, as far as that can be represented. */
  private static long micros(Instant moment) {
    try {
      return Math.multiplyExact(moment.toEpochMilli(), 1000);
    } catch (ArithmeticException e) {
      return moment.isAfter(Instant.EPOCH) ? Long.MAX_VALUE : Long.MIN_VALUE;
    }
  }

  /** Whether the rule ends by itself. */
  boolean expires() {
    return expiresMicros != Long.MAX_VALUE;
  }

  /** Whether the rule has ended. */
  boolean hasExpired(long wallMicros) {
    return wallMicros >= expiresMicros;
  }

  /** Whether the rule applies to every call whose path matches. */
  boolean appliesToEveryCall() {
    return byPathOnly;
  }

  /** Whether the rule applies to a call whose path is known to match. */
  boolean appliesApartFromPath(Call call) {
    return byPathOnly
        || (rule.match().holdsApartFromPath(call)
            && (rule.except().isEmpty() || !rule.except().get().holds(call)));
  }

  /** Whether this rule refuses the call because it lacks a part of the key. */
  boolean deniesForMissing(Call call, PathPattern route) {
    return rule.onMissing() == OnMissing.DENY
        && rule.mode() == Mode.ENFORCE
        && lacksPart(call, route);
  }

  /** Whether this rule does not apply to the call because it lacks a part of the key. */
  boolean skipsForMissing(Call call, PathPattern route) {
    return (rule.onMissing() == OnMissing.SKIP || rule.onMissing() == OnMissing.DENY)
        && lacksPart(call, route);
  }

  private boolean lacksPart(Call call, PathPattern route) {
    for (KeyPart part : key) {
      if (part.valueOf(call, route) == null) {
        return true;
      }
    }
    return false;
  }

  /** A text on the missing key parts and the key used instead; empty if no part is missing. */
  String missingNote(Call call, PathPattern route) {
    if (!lacksPart(call, route)) {
      return "";
    }
    List<String> missing = new ArrayList<>();
    for (int i = 0; i < key.length; i++) {
      if (key[i].valueOf(call, route) == null) {
        missing.add(rule.key().get(i));
      }
    }
    boolean byAddress = rule.onMissing() == OnMissing.IP && call.attribute("ip") != null;
    return "; no "
        + String.join(", no ", missing)
        + (byAddress ? ": counted by address" : ": counted with all such calls");
  }

  /** The key that the call is counted under. */
  Key keyOf(Call call, PathPattern route) {
    if (key.length == 0) {
      return Key.NONE;
    }
    if (key.length == 1) {
      String value = key[0].valueOf(call, route);
      return value != null ? Key.of(value) : substitute(call, new String[] {MISSING});
    }
    String[] values = new String[key.length];
    boolean missing = false;
    for (int i = 0; i < key.length; i++) {
      String value = key[i].valueOf(call, route);
      missing |= value == null;
      values[i] = value == null ? MISSING : value;
    }
    return missing ? substitute(call, values) : Key.of(values);
  }

  /**
   * The key of a call that lacks a part. It has the address as an additional part, so that it
   * differs from every regular key.
   */
  private Key substitute(Call call, String[] values) {
    String ip = rule.onMissing() == OnMissing.IP ? call.attribute("ip") : null;
    if (ip == null) {
      return Key.of(values);
    }
    String[] more = java.util.Arrays.copyOf(values, values.length + 1);
    more[values.length] = ip;
    return Key.of(more);
  }

  /**
   * Whether the rule is enforced for this call: it is not in shadow mode, and does not skip the
   * call.
   */
  boolean isEnforced(Call call, PathPattern route) {
    return !skipsForMissing(call, route) && modeFor(keyOf(call, route)) == Mode.ENFORCE;
  }

  /**
   * Whether the rule is enforced for this key. A key that is enforced at 10% stays enforced at 50%.
   */
  Mode modeFor(Key key) {
    if (rule.mode() != Mode.ENFORCE || rule.percent() == 100) {
      return rule.mode();
    }
    long hash = key.fixedHash(rule.id());
    return Long.remainderUnsigned(hash, 100) < rule.percent() ? Mode.ENFORCE : Mode.SHADOW;
  }

  /** The mode of this rule's draws for a key: a rule that is enforced may mark calls only. */
  Mode drawMode(Key key) {
    Mode mode = modeFor(key);
    return marks && mode == Mode.ENFORCE ? Mode.MARK : mode;
  }

  /** An adjustment of a key's limits, and the penalty, if that is in force for the key. */
  Adjustment withPenalty(Adjustment adjustment, Key key) {
    return penalty != null && tightened.contains(penalty.high(key), penalty.low(key))
        ? adjustment.withPenalty(penalty.factor())
        : adjustment;
  }

  /** How long the limits of a key stay tightened, in µs; 0 if they are not. */
  long tightenedMicros(Key key) {
    return penalty == null ? 0 : tightened.remainingMicros(penalty.high(key), penalty.low(key));
  }

  /** The draws of a call under this rule. */
  List<Draw> draws(Call call, PathPattern route, long wallMicros, Draw.Intent intent) {
    Pool[] now = pools.at(wallMicros, pools.tenantOf(call));
    if (now.length == 0) {
      return List.of();
    }
    Key key = keyOf(call, route);
    Mode mode = drawMode(key);
    if (penalty != null && mode == Mode.ENFORCE) {
      now = pools(withPenalty(Adjustment.NONE, key), wallMicros, pools.tenantOf(call));
    }
    long amount = rule.cost().of(call);
    long unit = rule.cost().unit();
    if (now.length == 1) {
      return List.of(new Draw(now[0], key, amount, mode, intent, unit, call));
    }
    List<Draw> draws = new ArrayList<>(now.length);
    for (Pool pool : now) {
      draws.add(new Draw(pool, key, amount, mode, intent, unit, call));
    }
    return draws;
  }

  /** The pools in force for keys with an adjustment, which may be none. */
  Pool[] pools(Adjustment adjustment, long wallMicros, String tenant) {
    return adjustment.isNone()
        ? pools.at(wallMicros, tenant)
        : adjusted(adjustment).at(wallMicros, tenant);
  }

  /** The pools of keys with an adjustment. */
  AdjustedPools adjusted(Adjustment adjustment) {
    AdjustedPools known = adjusted.get(adjustment);
    return known != null
        ? known
        : adjusted.computeIfAbsent(adjustment, wanted -> new AdjustedPools(pools, wanted));
  }

  /** Drops the pools of overrides that are not among these. */
  void keepAdjusted(Set<OverrideEffect> overrides) {
    adjusted.keySet().removeIf(it -> it.override() != null && !overrides.contains(it.override()));
  }

  /** Why the rule does not apply to a call; null if it does. */
  @Nullable String whyNot(Call call) {
    Match match = rule.match();
    if (rule.mode() == Mode.OFF) {
      return "mode is off";
    }
    if (!match.holdsForPath(call)) {
      return "path " + call.normalPath() + " matches none of " + match.paths();
    }
    if (!match.holdsForMethod(call)) {
      return "method " + Match.methodOf(call) + " is none of " + match.methods();
    }
    if (!match.holdsForHost(call)) {
      return "host '" + Match.hostOf(call) + "' is none of " + match.hosts();
    }
    if (!match.holdsForAttributes(call)) {
      return "attributes are not " + match.attributes();
    }
    if (!match.holdsForAbsent(call)) {
      return "one of " + match.absent() + " is there";
    }
    if (rule.except().isPresent() && rule.except().get().holds(call)) {
      return "excepted";
    }
    return null;
  }
}

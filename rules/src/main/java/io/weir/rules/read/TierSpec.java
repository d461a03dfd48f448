package io.weir.rules.read;

import io.weir.Limit;
import io.weir.rule.TenantPlan;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.MapReader;
import io.weir.rules.tree.TreeNode;
import io.weir.rules.tree.TreeNode.Mapping;
import io.weir.rules.tree.TreeNode.Scalar;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A tier as written: the fields from which plans are built, so that a tenant's overrides can be
 * laid over them.
 *
 * <p>An override replaces only the field it names. So a new rate keeps the tier's burst if the tier
 * states one, and otherwise becomes its own burst; a new algorithm drops the options of the old
 * one.
 */
public final class TierSpec {
  static final String UNLIMITED = "unlimited";

  /** Options that belong to the algorithm of a tier's rate. */
  private static final List<String> RATE_OPTIONS = List.of("burst", "queue", "max_wait", "aligned");

  private static final List<String> RATE_FIELDS =
      List.of("rate", "algorithm", "burst", "queue", "max_wait", "aligned");

  private static final Set<String> NOT_RATES = Set.of("quota", "concurrency");

  public static final List<String> FIELDS =
      List.of(
          "rate",
          "algorithm",
          "burst",
          "queue",
          "max_wait",
          "aligned",
          "quota",
          "zone",
          "concurrency",
          "permit_ttl");

  public static final List<String> OVERRIDE_FIELDS =
      Stream.concat(Stream.of("tier"), FIELDS.stream()).toList();

  private final String name;
  private final MapReader fields;
  private final Optional<TenantPlan> plan;

  private TierSpec(String name, MapReader fields) {
    this.name = name;
    this.fields = fields;
    this.plan = planOf(name, fields);
  }

  /** Reads a tier: a map of its limits, or {@code unlimited}. */
  static Optional<TierSpec> read(Location location, String name, TreeNode node) {
    if (node instanceof Scalar scalar && scalar.text().equals(UNLIMITED)) {
      return Optional.of(
          new TierSpec(name, MapReader.of(location, new Mapping(node.line(), Map.of()), FIELDS)));
    }
    if (!(node instanceof Mapping map)) {
      location.error(
          node.line(), "must be a map such as { rate: 10/s, quota: 1000/day }, not " + node.what());
      return Optional.empty();
    }
    if (map.fields().isEmpty()) {
      location.error(map.line(), "needs a rate, quota or concurrency; for none, write 'unlimited'");
    }
    return Optional.of(new TierSpec(name, MapReader.of(location, map, FIELDS)));
  }

  /** The plan of a tenant of this tier; empty if the tier itself was rejected. */
  Optional<TenantPlan> plan() {
    return plan;
  }

  /** The fields of a tenant: its tier and the values that override the tier's. */
  static MapReader override(Location location, Mapping map) {
    return MapReader.of(location, map, OVERRIDE_FIELDS);
  }

  /** The plan of a tenant of this tier with other values for some fields. */
  Optional<TenantPlan> plan(MapReader override) {
    return plan.isEmpty() || override.names().stream().allMatch("tier"::equals)
        ? plan
        : planOf(name, override.over(fields, override.has("algorithm") ? RATE_OPTIONS : List.of()));
  }

  private static Optional<TenantPlan> planOf(String name, MapReader all) {
    int before = all.location().errors();
    List<Limit> limits = new ArrayList<>();
    if (isLimited(all, "rate", "algorithm", "burst", "queue", "max_wait", "aligned")) {
      rate(all).map(limit -> limit.named("rate")).ifPresent(limits::add);
    }
    if (isLimited(all, "quota", "zone")) {
      LimitReader.quota(all, "quota", "quota").ifPresent(limits::add);
    }
    if (isLimited(all, "concurrency", "permit_ttl")) {
      LimitReader.concurrency(all, "concurrency", "concurrency").ifPresent(limits::add);
    }
    return all.location().errors() == before
        ? Optional.of(new TenantPlan(name, limits))
        : Optional.empty();
  }

  private static Optional<Limit> rate(MapReader all) {
    Optional<String> algorithm = all.peek("algorithm");
    if (algorithm.isPresent() && NOT_RATES.contains(algorithm.get())) {
      all.location()
          .error(
              all.line("algorithm"),
              "algorithm is for the rate; " + algorithm.get() + " is a field of its own");
      return Optional.empty();
    }
    return LimitReader.map(all.only(RATE_FIELDS));
  }

  /** Whether this field holds a limit; options without their limit are reported. */
  private static boolean isLimited(MapReader all, String field, String... options) {
    if (all.has(field)) {
      return all.peek(field).filter(UNLIMITED::equals).isEmpty();
    }
    for (String option : options) {
      if (all.has(option)) {
        all.location().error(all.line(option), option + " needs " + field);
      }
    }
    return false;
  }
}

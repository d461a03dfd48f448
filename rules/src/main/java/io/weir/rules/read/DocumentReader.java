package io.weir.rules.read;

import io.weir.rule.Bypass;
import io.weir.rule.RuleSet;
import io.weir.rule.TenantPlan;
import io.weir.rules.AttributeSource;
import io.weir.rules.LoadResult;
import io.weir.rules.file.DocumentFiles.Content;
import io.weir.rules.text.Messages;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.MapReader;
import io.weir.rules.tree.Problems;
import io.weir.rules.tree.SourceText;
import io.weir.rules.tree.TreeNode;
import io.weir.rules.tree.TreeNode.Mapping;
import io.weir.rules.tree.TreeNode.Scalar;
import io.weir.rules.tree.TreeNode.Sequence;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * Reads all documents of one rule set together: tiers first, then the parts that refer to them,
 * then the checks that need the whole set.
 */
public final class DocumentReader {
  public static final List<String> FIELDS =
      List.of("version", "tiers", "tenants", "bypass", "rules");

  /** Fields that identify a rule document, even if it cannot be parsed. */
  private static final Pattern RECOGNISED =
      Pattern.compile(
          "(?m)(^|[{,]\\s*)[\"']?(version[\"']?\\s*:\\s*[\"']?1\\b|(tiers|tenants|bypass|rules)[\"']?\\s*:)");

  private final Instant now;
  private final AttributeSource source;
  private final Problems problems = new Problems();
  private final List<MapReader> documents = new ArrayList<>();
  private final DeclaredNames declared = new DeclaredNames();
  private final Map<String, TierSpec> tiers = new LinkedHashMap<>();
  private final Map<String, TenantPlan> tenants = new LinkedHashMap<>();
  private final List<Bypass> bypasses = new ArrayList<>();
  private final List<RuleDraft> rules = new ArrayList<>();

  /** Whether every file could be read, so that a name not found is really undefined. */
  private boolean complete = true;

  private DocumentReader(Instant now, AttributeSource source) {
    this.now = now;
    this.source = source;
  }

  /**
   * Reads documents, in order.
   *
   * @param source attributes that calls can carry; rules that use others get a warning
   */
  public static LoadResult<RuleSet> read(Content content, Instant now, AttributeSource source) {
    DocumentReader reader = new DocumentReader(now, source);
    content.problems().forEach(reader.problems::add);
    reader.complete = content.problems().isEmpty();
    content.documents().forEach(reader::open);
    return reader.read(content.documents().stream().map(SourceText::name).toList());
  }

  /** The valid tiers of documents; faults elsewhere in them do not matter. */
  static TierTable tiers(Content content) {
    DocumentReader reader = new DocumentReader(Instant.EPOCH, AttributeSource.ANY);
    content.documents().forEach(reader::open);
    reader.documents.forEach(document -> reader.eachNamed(document, "tiers", reader::tier));
    return new TierTable(reader.tiers);
  }

  private void open(SourceText document) {
    Location location =
        document.has(RECOGNISED)
            ? Location.file(problems, document.name())
            : Location.unrecognised(problems, document.name());
    Optional<TreeNode> tree = document.tree(location);
    if (tree.isPresent() && tree.get() instanceof Mapping map && isForeign(map)) {
      complete = false;
      location.error(
          map.line(), "this is not a rule document: it has none of " + Messages.list(FIELDS));
    } else if (tree.isPresent() && tree.get() instanceof Mapping map) {
      MapReader fields = MapReader.of(location, map, FIELDS);
      version(fields);
      documents.add(fields);
    } else {
      complete = false;
      tree.ifPresent(
          node ->
              location.error(
                  node.line(),
                  "a rule document is a map that begins with version: 1, not "
                      + SourceText.insteadOfMap(node)));
    }
  }

  private static boolean isForeign(Mapping map) {
    return !map.fields().isEmpty() && FIELDS.stream().noneMatch(map.fields()::containsKey);
  }

  private static void version(MapReader fields) {
    if (!fields.has("version")) {
      fields.location().error(fields.line("version"), "version is missing; begin with version: 1");
    } else if (!fields.peek("version").equals(Optional.of("1"))) {
      fields
          .location()
          .error(
              fields.line("version"),
              "version must be 1"
                  + fields.peek("version").map(v -> ", not " + Messages.quote(v)).orElse(""));
    }
  }

  private LoadResult<RuleSet> read(List<String> files) {
    documents.forEach(document -> eachNamed(document, "tiers", this::tier));
    documents.forEach(document -> eachNamed(document, "tenants", this::tenant));
    documents.forEach(document -> eachListed(document, "bypass", this::bypass));
    documents.forEach(document -> eachListed(document, "rules", this::rule));
    new CrossRuleCheck(declared, complete).check(rules);
    CapacityCheck capacity = new CapacityCheck(tenants);
    rules.forEach(capacity::check);
    if (problems.errors() > 0) {
      return new LoadResult<>(Optional.empty(), problems.sorted(files));
    }
    RuleWarnings.warn(rules);
    AttributeWarnings.warn(rules, source);
    warnAboutUnusedParts();
    RuleSet.Builder set = RuleSet.builder();
    tenants.forEach(set::tenant);
    bypasses.forEach(set::bypass);
    rules.forEach(draft -> draft.rule().ifPresent(set::rule));
    return new LoadResult<>(Optional.of(set.build()), problems.sorted(files));
  }

  /** Warns about parts of the document that have no effect. */
  private void warnAboutUnusedParts() {
    MapReader first = documents.get(0);
    if (rules.isEmpty()) {
      first.location().warning(first.line("rules"), "there are no rules, so every call passes");
      return;
    }
    Optional<MapReader> withTenants = documents.stream().filter(d -> d.has("tenants")).findFirst();
    if (withTenants.isPresent() && rules.stream().noneMatch(RuleDraft::isOfTier)) {
      MapReader document = withTenants.get();
      document
          .location()
          .warning(document.line("tenants"), "tenants change nothing, as no rule has limit: tier");
    }
  }

  private void eachNamed(MapReader document, String field, BiConsumer<MapReader, String> reader) {
    Optional<TreeNode> node = document.node(field);
    if (node.isPresent() && node.get() instanceof Mapping map) {
      MapReader inner = MapReader.of(document.location(), map, map.fields().keySet());
      map.fields().keySet().forEach(name -> reader.accept(inner, name));
    } else {
      node.ifPresent(
          n -> document.location().error(n.line(), field + " must be a map, not " + n.what()));
    }
  }

  private void eachListed(
      MapReader document, String field, BiConsumer<Location, NumberedMap> reader) {
    Optional<TreeNode> node = document.node(field);
    if (node.isPresent() && node.get() instanceof Sequence list) {
      for (int i = 0; i < list.items().size(); i++) {
        TreeNode item = list.items().get(i);
        if (item instanceof Mapping map) {
          reader.accept(document.location(), new NumberedMap(i + 1, map));
        } else {
          document
              .location()
              .error(
                  item.line(),
                  field + ": entry " + (i + 1) + " must be a map with an id, not " + item.what());
        }
      }
    } else {
      node.ifPresent(
          n -> document.location().error(n.line(), field + " must be a list, not " + n.what()));
    }
  }

  /** A map in a list, with its position counted from 1. */
  private record NumberedMap(int number, Mapping map) {
    /** Its name in messages: the id, or the position if there is no usable id. */
    String called(String what) {
      TreeNode.Field id = map.fields().get("id");
      return id != null && id.value() instanceof Scalar s && !s.text().isEmpty()
          ? what + " " + (s.text().length() <= 64 ? s.text() : "number " + number)
          : what + " number " + number;
    }
  }

  private void tier(MapReader all, String name) {
    Location location = all.location().within("tier " + Messages.shorten(name));
    boolean first = declared.declare(location, "tier", name, all.line(name));
    if (location.attempt(all.line(name), () -> NameSyntax.id(name)).isPresent()) {
      all.in(location)
          .node(name)
          .flatMap(node -> TierSpec.read(location, name, node))
          .filter(tier -> first)
          .ifPresent(tier -> tiers.put(name, tier));
    }
  }

  private void tenant(MapReader all, String name) {
    Location location = all.location().within("tenant " + Messages.shorten(name));
    boolean first = declared.declare(location, "tenant", name, all.line(name));
    MapReader fields = all.in(location);
    Optional<TreeNode> node = fields.node(name);
    if (node.isEmpty()) {
      return;
    }
    Optional<TenantPlan> plan;
    if (node.get() instanceof Mapping map) {
      MapReader override = TierSpec.override(location, map);
      if (!override.has("tier")) {
        location.error(map.line(), "tier is missing; name the tenant's tier");
      }
      plan =
          override
              .text("tier", "standard")
              .flatMap(tier -> find(location, override.line("tier"), tier))
              .flatMap(tier -> tier.plan(override));
    } else {
      plan =
          fields
              .text(name, "standard")
              .flatMap(tier -> find(location, node.get().line(), tier))
              .flatMap(TierSpec::plan);
    }
    plan.filter(p -> first).ifPresent(p -> tenants.put(name, p));
  }

  private Optional<TierSpec> find(Location location, int line, String tier) {
    if (!declared.has("tier", tier) && complete) {
      location.error(
          line, "unknown tier " + Messages.quote(tier) + Messages.didYouMean(tier, tiers.keySet()));
    }
    return Optional.ofNullable(tiers.get(tier));
  }

  private void bypass(Location file, NumberedMap entry) {
    Location location = file.within(entry.called("bypass"));
    MapReader fields = MapReader.of(location, entry.map(), BypassReader.FIELDS);
    Optional<String> id = fields.read("id", "smoke-tests", NameSyntax::id);
    boolean first =
        id.isEmpty() || declared.declare(location, "bypass", id.get(), fields.line("id"));
    Optional<Bypass> bypass = BypassReader.read(fields, id.orElse(""), now);
    bypass
        .filter(b -> first && id.isPresent())
        .filter(
            b -> declared.declare(location, "token", b.tokenSha256(), fields.line("token_sha256")))
        .ifPresent(bypasses::add);
  }

  private void rule(Location file, NumberedMap entry) {
    int errorsBefore = problems.errors();
    Location location = file.within(entry.called("rule"));
    MapReader fields = MapReader.of(location, entry.map(), RuleReader.FIELDS);
    Optional<String> id = fields.read("id", "payments", NameSyntax::id);
    if (!fields.has("id")) {
      location.error(fields.line("id"), "id is missing");
    }
    id.ifPresent(name -> declared.declare(location, "rule", name, fields.line("id")));
    rules.add(RuleReader.read(id.orElse("nameless"), fields, errorsBefore, now));
  }
}

package io.weir.rules.read;

import io.weir.rule.TenantPlan;
import io.weir.rules.Problem;
import io.weir.rules.file.DocumentFiles.Content;
import io.weir.rules.text.Messages;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.Problems;
import io.weir.rules.tree.SourceText;
import io.weir.rules.tree.TreeNode;
import io.weir.rules.tree.TreeNode.Mapping;
import io.weir.rules.tree.TreeNode.Scalar;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/** The tiers of a rule document, from which plans are made for tenants that it does not name. */
public final class TierTable {
  private static final int LINE = 1;

  private final Map<String, TierSpec> tiers;

  TierTable(Map<String, TierSpec> tiers) {
    this.tiers = new LinkedHashMap<>(tiers);
    this.tiers.values().removeIf(tier -> tier.plan().isEmpty());
  }

  /**
   * The valid tiers of a set of documents; faults elsewhere in them do not matter.
   *
   * @param documents texts by name
   */
  public static TierTable of(SortedMap<String, String> documents) {
    List<SourceText> texts = new ArrayList<>();
    documents.forEach((name, text) -> texts.add(new SourceText(name, text)));
    return DocumentReader.tiers(new Content(texts, List.of()));
  }

  public Set<String> names() {
    return Set.copyOf(tiers.keySet());
  }

  /**
   * The plan of a tenant.
   *
   * @param numbers values of its own by field, such as {@code rate} to {@code 250/s}; they take
   *     precedence over those of the tier
   * @throws IllegalArgumentException with the reason if there is no such tier or a number is
   *     invalid
   */
  public TenantPlan plan(String tier, Map<String, String> numbers) {
    TierSpec spec = tiers.get(tier);
    if (spec == null) {
      throw new IllegalArgumentException("unknown tier " + Messages.quote(tier));
    }
    if (numbers.isEmpty()) {
      return spec.plan().orElseThrow();
    }
    Map<String, TreeNode.Field> fields = new LinkedHashMap<>();
    numbers.forEach(
        (name, text) ->
            fields.put(name, new TreeNode.Field(LINE, new Scalar(LINE, text, Scalar.Style.BARE))));
    Problems problems = new Problems();
    Location location = Location.file(problems, "tenant");
    return spec.plan(TierSpec.override(location, new Mapping(LINE, fields)))
        .filter(plan -> problems.errors() == 0)
        .orElseThrow(() -> new IllegalArgumentException(reason(problems)));
  }

  private static String reason(Problems problems) {
    return problems.sorted(List.of()).stream()
        .filter(Problem::isError)
        .map(Problem::reason)
        .findFirst()
        .orElse("the numbers are invalid");
  }
}

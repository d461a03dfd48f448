package io.weir.rules.read;

import io.weir.Call;
import io.weir.rule.Cost;
import io.weir.rules.tree.MapReader;
import io.weir.rules.tree.TreeNode;
import io.weir.rules.tree.TreeNode.Mapping;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads {@code cost}: a number, an attribute that holds one, or a header of the response. */
public final class CostReader {
  public static final List<String> FIELDS =
      List.of("attribute", "default", "max", "response_header", "reserve");

  private CostReader() {}

  /** The cost of a rule; empty if it was rejected. */
  static Optional<Cost> read(MapReader rule) {
    if (!rule.has("cost")) {
      return Optional.of(Cost.Fixed.ONE);
    }
    Optional<TreeNode> node = rule.node("cost");
    if (node.isEmpty()) {
      return Optional.empty();
    }
    if (node.get() instanceof Mapping map) {
      return fromMap(MapReader.of(rule.location().within("cost"), map, FIELDS));
    }
    if (node.get() instanceof TreeNode.Sequence list) {
      rule.location()
          .error(
              list.line(),
              "cost must be a whole number, { attribute: NAME } or { response_header: NAME }, not"
                  + " a list");
      return Optional.empty();
    }
    return rule.number("cost", "5")
        .flatMap(n -> rule.location().attempt(rule.line("cost"), () -> new Cost.Fixed(n)));
  }

  private static Optional<Cost> fromMap(MapReader fields) {
    boolean attribute = fields.has("attribute");
    if (attribute == fields.has("response_header")) {
      fields
          .location()
          .error(fields.line("attribute"), "name either an attribute or a response_header");
      return Optional.empty();
    }
    boolean fits = attribute ? refuse(fields, "reserve") : refuse(fields, "default", "max");
    Optional<Cost> cost = attribute ? fromAttribute(fields) : fromResponse(fields);
    return fits ? cost : Optional.empty();
  }

  private static boolean refuse(MapReader fields, String... names) {
    boolean fits = true;
    for (String name : names) {
      if (fields.has(name)) {
        String owner = name.equals("reserve") ? "response_header" : "attribute";
        fields.location().error(fields.line(name), name + " goes with " + owner);
        fits = false;
      }
    }
    return fits;
  }

  private static Optional<Cost> fromAttribute(MapReader fields) {
    Optional<String> name =
        fields.read("attribute", "units", text -> NameSyntax.attribute("attribute", text));
    Optional<Long> otherwise = fields.number("default", "1");
    Optional<Long> max = fields.number("max", "100");
    if (name.isEmpty()
        || otherwise.isPresent() != fields.has("default")
        || max.isPresent() != fields.has("max")) {
      return Optional.empty();
    }
    long most = max.orElse(Call.MAX_COST);
    if (otherwise.orElse(1L) > most) {
      fields
          .location()
          .error(fields.line("max"), "default " + otherwise.orElse(1L) + " is above max " + most);
      return Optional.empty();
    }
    return fields
        .location()
        .attempt(
            fields.line(fields.has("max") ? "max" : "default"),
            () -> new Cost.FromAttribute(name.get(), otherwise.orElse(1L), most));
  }

  private static Optional<Cost> fromResponse(MapReader fields) {
    Optional<String> header =
        fields
            .read(
                "response_header", "x-cost", text -> NameSyntax.attribute("response_header", text))
            .map(text -> text.toLowerCase(Locale.ROOT));
    Optional<Long> reserve = fields.number("reserve", "10");
    if (header.isEmpty() || reserve.isPresent() != fields.has("reserve")) {
      return Optional.empty();
    }
    return fields
        .location()
        .attempt(
            fields.line("reserve"), () -> new Cost.FromResponse(header.get(), reserve.orElse(1L)));
  }
}

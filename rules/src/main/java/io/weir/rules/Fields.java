package io.weir.rules;

import io.weir.limit.Periods;
import io.weir.rules.Node.Mapping;
import io.weir.rules.Node.Scalar;
import io.weir.rules.Node.Scalar.Style;
import io.weir.rules.Node.Sequence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The fields of one map in the document, read by name and type.
 *
 * <p>A field that is not there, and one that is wrong, both give nothing; the second was reported.
 * So a reader takes field after field and never stops at the first mistake.
 */
final class Fields {
  /** Longer texts are reported, not handed on: nothing in a rule is that long. */
  private static final int LONGEST = 1024;

  private final Place place;
  private final Mapping map;

  private Fields(Place place, Mapping map) {
    this.place = place;
    this.map = map;
  }

  /** Reads the fields of a map, after reporting those that are not known. */
  static Fields of(Place place, Mapping map, Collection<String> known) {
    map.fields()
        .forEach(
            (name, field) -> {
              if (!known.contains(name) && place.isListening()) {
                place.error(
                    field.line(),
                    "unknown field " + Words.quote(name) + Words.didYouMean(name, known));
              }
            });
    return new Fields(place, map);
  }

  /**
   * The same fields over those of another map: what is said here wins. What comes from there is
   * reported at the line of this map.
   */
  Fields over(Fields base, Collection<String> leftOut) {
    Map<String, Node.Field> merged = new LinkedHashMap<>();
    base.map
        .fields()
        .forEach(
            (name, field) -> {
              if (!leftOut.contains(name)) {
                merged.put(name, new Node.Field(map.line(), atLine(map.line(), field.value())));
              }
            });
    merged.putAll(map.fields());
    return new Fields(place, new Mapping(map.line(), merged));
  }

  private static Node atLine(int line, Node node) {
    return node instanceof Scalar scalar ? new Scalar(line, scalar.text(), scalar.style()) : node;
  }

  /** The same fields, reported as part of something else. */
  Fields in(Place other) {
    return new Fields(other, map);
  }

  /** Only these of the fields. */
  Fields only(Collection<String> names) {
    Map<String, Node.Field> kept = new LinkedHashMap<>(map.fields());
    kept.keySet().retainAll(names);
    return new Fields(place, new Mapping(map.line(), kept));
  }

  Place place() {
    return place;
  }

  boolean has(String name) {
    return map.fields().containsKey(name);
  }

  /** The line of a field, or of the map if it is not there. */
  int line(String name) {
    Node.Field field = map.fields().get(name);
    return field == null ? map.line() : field.line();
  }

  /** The names of all fields that are there. */
  Collection<String> names() {
    return map.fields().keySet();
  }

  /** A field's value if it is a single one, without reporting anything. */
  Optional<String> peek(String name) {
    Node.Field field = map.fields().get(name);
    return field != null && field.value() instanceof Scalar scalar
        ? Optional.of(scalar.text())
        : Optional.empty();
  }

  /** A field's value, whatever it is. A field without a value is reported. */
  Optional<Node> node(String name) {
    Node.Field field = map.fields().get(name);
    if (field == null) {
      return Optional.empty();
    }
    if (field.value() instanceof Scalar scalar && scalar.style() == Style.NOTHING) {
      place.error(field.line(), name + " has no value; leave it out or say what it is");
      return Optional.empty();
    }
    return Optional.of(field.value());
  }

  /** A text, such as {@code example}. */
  Optional<String> text(String name, String example) {
    return node(name).flatMap(node -> text(node, name, example));
  }

  /** A text that something else understands, or refuses with the reason. */
  <T> Optional<T> read(String name, String example, Function<String, T> reader) {
    return text(name, example).flatMap(text -> place.attempt(line(name), () -> reader.apply(text)));
  }

  /** A whole number, at least 0. */
  Optional<Long> number(String name, String example) {
    return node(name)
        .flatMap(
            node -> {
              if (node instanceof Scalar scalar && scalar.style() == Style.BARE) {
                return shortEnough(scalar, name)
                    .flatMap(
                        text -> place.attempt(node.line(), () -> Periods.wholeNumber(name, text)));
              }
              place.error(
                  node.line(),
                  name + " must be a whole number such as " + example + ", not " + node.what());
              return Optional.empty();
            });
  }

  /** A whole number between two others. */
  Optional<Integer> number(String name, int least, int most) {
    return number(name, Integer.toString(least))
        .flatMap(
            number -> {
              if (number >= least && number <= most) {
                return Optional.of(number.intValue());
              }
              place.error(
                  line(name), name + " " + number + " is not between " + least + " and " + most);
              return Optional.empty();
            });
  }

  Optional<Boolean> flag(String name) {
    return node(name)
        .flatMap(
            node -> {
              if (node instanceof Scalar scalar
                  && scalar.style() == Style.BARE
                  && (scalar.text().equals("true") || scalar.text().equals("false"))) {
                return Optional.of(scalar.text().equals("true"));
              }
              place.error(node.line(), name + " must be true or false, not " + node.what());
              return Optional.empty();
            });
  }

  /** One of the constants of an enum, in lower case. */
  <E extends Enum<E>> Optional<E> choice(String name, Class<E> type) {
    List<String> ids =
        Arrays.stream(type.getEnumConstants())
            .map(constant -> constant.name().toLowerCase(Locale.ROOT))
            .toList();
    return text(name, ids.get(0))
        .flatMap(
            text -> {
              if (ids.contains(text)) {
                return Optional.of(Enum.valueOf(type, text.toUpperCase(Locale.ROOT)));
              }
              place.error(
                  line(name),
                  name
                      + " must be one of "
                      + String.join(", ", ids)
                      + ", not "
                      + Words.quote(text)
                      + Words.didYouMean(text, ids));
              return Optional.empty();
            });
  }

  /** A map with these fields. */
  Optional<Fields> map(String name, String example, Collection<String> known) {
    return node(name)
        .flatMap(
            node -> {
              if (node instanceof Mapping inner) {
                return Optional.of(Fields.of(place, inner, known));
              }
              place.error(node.line(), expected(name, "a map", example, node));
              return Optional.empty();
            });
  }

  /** The values of a list, or a value on its own as a list of one. An empty list is reported. */
  List<Node> items(String name) {
    Optional<Node> node = node(name);
    if (node.isEmpty()) {
      return List.of();
    }
    if (node.get() instanceof Sequence list) {
      if (list.items().isEmpty()) {
        place.error(line(name), name + " is an empty list; leave it out or name something");
      }
      return list.items();
    }
    return List.of(node.get());
  }

  /** The texts of a list, or one text on its own; those already there are reported. */
  List<TextAt> texts(String name, String example) {
    List<TextAt> texts = new ArrayList<>();
    for (Node item : items(name)) {
      text(item, name, example).map(text -> new TextAt(text, item.line())).ifPresent(texts::add);
    }
    return texts;
  }

  /** A text and its line. */
  record TextAt(String text, int line) {}

  /** A node that should be a text. */
  Optional<String> text(Node node, String name, String example) {
    if (node instanceof Scalar scalar && scalar.style() != Style.NOTHING) {
      return shortEnough(scalar, name);
    }
    place.error(node.line(), expected(name, "a text", example, node));
    return Optional.empty();
  }

  private Optional<String> shortEnough(Scalar scalar, String name) {
    if (scalar.text().length() > LONGEST) {
      place.error(scalar.line(), name + " has more than " + LONGEST + " characters");
      return Optional.empty();
    }
    return Optional.of(scalar.text());
  }

  private static String expected(String name, String what, String example, Node node) {
    return name + " must be " + what + " such as " + example + ", not " + node.what();
  }
}

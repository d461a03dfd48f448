package io.weir.rules.tree;

import io.weir.rules.text.Messages;
import io.weir.rules.tree.TreeNode.Scalar;
import io.weir.rules.tree.TreeNode.Scalar.Style;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Reads YAML 1.2 into a tree.
 *
 * <p>It consumes the parser's events and constructs no objects, so tags are harmless; tags outside
 * YAML's core schema are rejected nevertheless. Anchors and aliases, with which a small file can
 * expand to a huge one, are rejected unless enabled, and capped when enabled.
 */
public final class YamlTree {
  private static final String CORE = "tag:yaml.org,2002:";
  private static final Set<String> KNOWN_TAGS =
      Set.of("str", "int", "float", "bool", "null", "map", "seq");
  private static final Pattern BARE_HOLE = Pattern.compile("[\\[{,:] */[^\\s\"',]*\\{");
  private static final Set<String> NOTHING = Set.of("", "~", "null", "Null", "NULL");

  private final String text;
  private final TreeBuilder tree;
  private final @Nullable YamlAnchors anchors;
  private final int lastLine;
  private boolean inDocument;

  /** Line where a second document begins; it is accepted if it is empty. */
  private int secondAt;

  private YamlTree(String text, Location location, @Nullable YamlAnchors anchors) {
    this.text = text;
    this.tree = new TreeBuilder(location, anchors);
    this.anchors = anchors;
    this.lastLine = TreeBuilder.lastLine(text);
  }

  /** The tree; empty if the text holds no document. */
  static Optional<TreeNode> read(Location location, String text)
      throws UnreadableDocumentException {
    return read(new YamlTree(text, location, null));
  }

  /**
   * As {@code read}, for files written for other programs, which may use anchors within the caps.
   */
  public static Optional<TreeNode> readWithAnchors(Location location, String text)
      throws UnreadableDocumentException {
    return read(new YamlTree(text, location, new YamlAnchors()));
  }

  private static Optional<TreeNode> read(YamlTree reader) throws UnreadableDocumentException {
    reader.read();
    return reader.tree.root();
  }

  private void read() throws UnreadableDocumentException {
    // The buffer holds the whole text: read in pieces, a line of megabytes takes quadratic time.
    LoadSettings settings =
        LoadSettings.builder()
            .setCodePointLimit(Integer.MAX_VALUE)
            .setBufferSize(text.length() + 16)
            .build();
    try {
      Parser events = new ParserImpl(settings, new StreamReader(settings, text));
      while (events.hasNext()) {
        take(events.next());
      }
    } catch (MarkedYamlEngineException e) {
      int line = e.getProblemMark().or(e::getContextMark).map(this::line).orElse(1);
      String context = e.getContext() == null ? "" : e.getContext() + ", ";
      throw new UnreadableDocumentException(
          line, "this is not YAML: " + context + e.getProblem() + hint(line));
    } catch (ReaderException e) {
      throw new UnreadableDocumentException(
          lineOf(e.getPosition()),
          String.format("the character U+%04X has no place in YAML", e.getCodePoint()));
    } catch (YamlEngineException | IndexOutOfBoundsException | NumberFormatException e) {
      throw new UnreadableDocumentException(1, "this is not YAML: " + e.getMessage());
    }
  }

  /** A hint for a common mistake: a path such as /users/{id} needs quotes inside brackets. */
  private String hint(int line) {
    String written = text.lines().skip(line - 1L).findFirst().orElse("");
    return BARE_HOLE.matcher(written).find()
        ? "; inside [ ] or { }, put a path with {name} in quotes"
        : "";
  }

  private void take(Event event) throws UnreadableDocumentException {
    int line = event.getStartMark().map(this::line).orElse(1);
    if (secondAt > 0 && event instanceof NodeEvent node) {
      if (!isNothing(node)) {
        throw new UnreadableDocumentException(
            secondAt, "a second document begins here; give it a file of its own");
      }
      return;
    }
    if (anchors == null && event instanceof AliasEvent) {
      throw new UnreadableDocumentException(
          line, "aliases (*name) are not allowed; write the value out");
    }
    Optional<String> anchor =
        event instanceof NodeEvent node ? node.getAnchor().map(Object::toString) : Optional.empty();
    if (anchors == null && anchor.isPresent()) {
      throw new UnreadableDocumentException(
          line, "anchors (&name) are not allowed; write the value out");
    }
    if (event instanceof AliasEvent alias && anchors != null) {
      tree.alias(line, anchors, alias.getAlias().toString());
    } else if (event instanceof ScalarEvent scalar) {
      Scalar read = scalar(line, scalar);
      if (anchors != null && anchor.isPresent()) {
        anchors.put(anchor.get(), read);
      }
      tree.scalar(read);
    } else if (event instanceof CollectionStartEvent start) {
      checkTag(line, start.getTag());
      if (start.getEventId() == Event.ID.MappingStart) {
        tree.startMap(line);
      } else {
        tree.startList(line);
      }
      anchor.ifPresent(tree::anchor);
    } else if (event.getEventId() == Event.ID.MappingEnd
        || event.getEventId() == Event.ID.SequenceEnd) {
      tree.end();
    } else if (event instanceof DocumentStartEvent) {
      if (inDocument && secondAt == 0) {
        secondAt = line;
      }
      inDocument = true;
    }
  }

  /** Whether the node is the empty document after a trailing {@code ---}. */
  private static boolean isNothing(NodeEvent node) {
    return node instanceof ScalarEvent scalar
        && scalar.isPlain()
        && scalar.getValue().isEmpty()
        && scalar.getTag().isEmpty()
        && scalar.getAnchor().isEmpty();
  }

  private static Scalar scalar(int line, ScalarEvent event) throws UnreadableDocumentException {
    checkTag(line, event.getTag());
    String value = event.getValue();
    if (!event.isPlain() || event.getTag().equals(Optional.of(CORE + "str"))) {
      return new Scalar(line, value, Style.QUOTED);
    }
    return new Scalar(line, value, NOTHING.contains(value) ? Style.NOTHING : Style.BARE);
  }

  private static void checkTag(int line, Optional<String> tag) throws UnreadableDocumentException {
    if (tag.isPresent()
        && !(tag.get().startsWith(CORE)
            && KNOWN_TAGS.contains(tag.get().substring(CORE.length())))) {
      throw new UnreadableDocumentException(
          line, "the tag " + Messages.quote(tag.get()) + " is not allowed");
    }
  }

  private int line(Mark mark) {
    return Math.min(lastLine, mark.getLine() + 1);
  }

  private int lineOf(int codePoints) {
    return 1
        + (int) text.codePoints().limit(Math.max(0, codePoints)).filter(c -> c == '\n').count();
  }
}

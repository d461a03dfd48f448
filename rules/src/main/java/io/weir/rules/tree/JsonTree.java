package io.weir.rules.tree;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.weir.rules.tree.TreeNode.Scalar;
import io.weir.rules.tree.TreeNode.Scalar.Style;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/** Reads JSON into a tree. */
final class JsonTree {
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(TreeBuilder.DEEPEST + 8).build())
          .build();

  private JsonTree() {}

  /** The tree; empty if the text is empty. */
  static Optional<TreeNode> read(Location location, String text)
      throws UnreadableDocumentException {
    TreeBuilder tree = new TreeBuilder(location);
    int depth = 0;
    try (JsonParser json = FACTORY.createParser(text)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        int line = json.currentTokenLocation().getLineNr();
        if (depth == 0 && tree.root().isPresent()) {
          throw new UnreadableDocumentException(
              line, "something follows after the end of the document");
        }
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        take(tree, token, line, json.getText());
      }
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
      throw new UnreadableDocumentException(
          Math.min(line, TreeBuilder.lastLine(text)),
          "this is not JSON: " + firstLine(e.getOriginalMessage()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return tree.root();
  }

  private static void take(TreeBuilder tree, JsonToken token, int line, String text)
      throws UnreadableDocumentException {
    switch (token) {
      case START_OBJECT -> tree.startMap(line);
      case START_ARRAY -> tree.startList(line);
      case END_OBJECT, END_ARRAY -> tree.end();
      case FIELD_NAME, VALUE_STRING -> tree.scalar(new Scalar(line, text, Style.QUOTED));
      case VALUE_NULL -> tree.scalar(new Scalar(line, "null", Style.NOTHING));
      default -> tree.scalar(new Scalar(line, text, Style.BARE));
    }
  }

  private static String firstLine(String message) {
    int end = message.indexOf('\n');
    return end < 0 ? message : message.substring(0, end);
  }
}

package io.weir.rules.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.weir.rules.file.DocumentFiles.Content;
import io.weir.rules.tree.SourceText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Saves the last valid documents across restarts, as text in one file of a folder that belongs to
 * the process.
 *
 * <p>The file is replaced atomically, so a crash leaves either the old one or the new one. The text
 * is saved rather than the rule set, because a later version may read more from it.
 */
final class LastGoodFiles {
  private static final JsonFactory JSON = new JsonFactory();

  private final Path file;

  /**
   * @param folder where the copy is saved; created if missing
   * @param rules path of the documents, which identifies the copy
   */
  LastGoodFiles(Path folder, Path rules) {
    this.file = folder.resolve("rules-" + shortHash(rules.toAbsolutePath().normalize()) + ".json");
  }

  private static String shortHash(Path path) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(path.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** Saves these documents in place of earlier ones. */
  void save(Content content) throws IOException {
    Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
    Path next = Files.createTempFile(folder, "rules-", ".tmp");
    try {
      try (OutputStream out = Files.newOutputStream(next)) {
        write(content, out);
      }
      try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(next);
    }
  }

  private static void write(Content content, OutputStream out) throws IOException {
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartArray();
      for (SourceText document : content.documents()) {
        json.writeStartObject();
        json.writeStringField("name", document.name());
        json.writeStringField("text", document.text());
        json.writeEndObject();
      }
      json.writeEndArray();
    }
  }

  /** The saved documents; empty if there are none. */
  Optional<Content> load() throws IOException {
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    List<SourceText> documents = new ArrayList<>();
    try (JsonParser json = JSON.createParser(file.toFile())) {
      String name = "";
      String text = "";
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token == JsonToken.VALUE_STRING && "name".equals(json.currentName())) {
          name = json.getText();
        } else if (token == JsonToken.VALUE_STRING) {
          text = json.getText();
        } else if (token == JsonToken.END_OBJECT) {
          documents.add(new SourceText(name, text));
        }
      }
    }
    return Optional.of(new Content(List.copyOf(documents), List.of()));
  }
}

package io.weir.server.control;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.weir.adjust.KillSwitchScope;
import io.weir.control.store.KillSwitch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kill switch in the file {@code killswitch} of the state folder: the road that needs neither a
 * database nor the admin port.
 *
 * <pre>{@code
 * {"scope":"all","until":"2026-11-18T12:00:00Z","by":"anna","message":"all customers refused"}
 * }</pre>
 *
 * <p>Without {@code until} it ends 4 h after the file was written.
 */
final class KillSwitchFile {
  static final Duration LIFE = Duration.ofHours(4);

  private static final Logger LOG = LoggerFactory.getLogger(KillSwitchFile.class);
  private static final JsonFactory JSON = new JsonFactory();
  private static final int MOST_BYTES = 1 << 16;

  private final Path file;
  private String problem = "";

  KillSwitchFile(Path state) {
    this.file = state.resolve("killswitch");
  }

  Path path() {
    return file;
  }

  /** The switch in the file; empty if there is no file or it cannot be read. */
  synchronized Optional<KillSwitch> read() {
    try {
      if (!Files.exists(file)) {
        return Optional.empty();
      }
      if (Files.size(file) > MOST_BYTES) {
        throw new IOException("it is larger than 64 KiB");
      }
      Instant written = Files.getLastModifiedTime(file).toInstant();
      Map<String, String> fields = fields(Files.readString(file));
      String scope = fields.getOrDefault("scope", "all");
      KillSwitchScope.parse(scope);
      Instant until =
          fields.containsKey("until")
              ? OffsetDateTime.parse(fields.get("until")).toInstant()
              : written.plus(LIFE);
      problem = "";
      return Optional.of(
          new KillSwitch(
              scope,
              until,
              fields.getOrDefault("message", ""),
              fields.getOrDefault("by", "file"),
              written));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException | DateTimeException | IllegalArgumentException e) {
      if (!problem.equals(e.toString())) {
        problem = e.toString();
        LOG.error("{} cannot be read and is not used: {}", file, e.getMessage());
      }
      return Optional.empty();
    }
  }

  private static Map<String, String> fields(String text) throws IOException {
    Map<String, String> fields = new HashMap<>();
    try (JsonParser json = JSON.createParser(text)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token == JsonToken.VALUE_STRING && json.currentName() != null) {
          fields.put(json.currentName(), json.getText());
        }
      }
    }
    return fields;
  }

  /** Removes the file. */
  void delete() throws IOException {
    Files.deleteIfExists(file);
  }
}

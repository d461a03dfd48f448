package io.weir.cli.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;

/**
 * The state folder of a server on this machine, and the token in it by which commands of the same
 * user find their way in. Only a token that was generated at start is kept there, in a file that
 * its owner alone can read, until the server stops.
 */
public final class StateFolder {
  private final Path folder;

  public StateFolder(Path folder) {
    this.folder = folder;
  }

  /** The folder of a server without {@code state.dir}; it follows the XDG base directories. */
  public static Path byDefault(Map<String, String> environment) {
    String state = environment.getOrDefault("XDG_STATE_HOME", "");
    Path root =
        state.isEmpty()
            ? Path.of(System.getProperty("user.home", "."), ".local", "state")
            : Path.of(state);
    return root.resolve("weir");
  }

  /** The folder that a server started in this environment would use. */
  public static StateFolder of(Map<String, String> environment) {
    String named = environment.getOrDefault("WEIR_STATE_DIR", "");
    return new StateFolder(named.isEmpty() ? byDefault(environment) : Path.of(named));
  }

  private Path file(int port) {
    return folder.resolve("admin-" + port + ".token");
  }

  /** Keeps the token of the server with this admin port. */
  public void keepToken(int port, String token) throws IOException {
    Files.createDirectories(folder);
    Path temporary = Files.createTempFile(folder, "admin", ".tmp"); // readable by the owner only
    try {
      if (Files.getFileStore(folder).supportsFileAttributeView("posix")) {
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rw-------"));
      }
      Files.writeString(temporary, token, StandardCharsets.US_ASCII);
      Files.move(temporary, file(port), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  /** Forgets the token, unless a later server on the same port has left its own. */
  public void forgetToken(int port, String token) {
    try {
      if (token(port).filter(token::equals).isPresent()) {
        Files.deleteIfExists(file(port));
      }
    } catch (IOException e) {
      // The token is of no use once the server has stopped.
    }
  }

  /** The token of the server with this admin port, if it is there. */
  public Optional<String> token(int port) {
    try {
      return Optional.of(Files.readString(file(port), StandardCharsets.US_ASCII).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    return folder.toString();
  }
}

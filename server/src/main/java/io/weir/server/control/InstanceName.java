package io.weir.server.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;

/** The id of an instance: host, process and a random part, such as {@code web-3-812-9f2c}. */
final class InstanceName {
  private static final int RANDOM_BYTES = 2;
  private static final int MOST_CHARACTERS = 64;

  private InstanceName() {}

  static String make() {
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    return host() + "-" + ProcessHandle.current().pid() + "-" + HexFormat.of().formatHex(random);
  }

  /** The name of this machine. */
  static String host() {
    String name = System.getenv("HOSTNAME");
    if (name == null || name.isBlank()) {
      try {
        name = Files.readString(Path.of("/etc/hostname")).strip();
      } catch (IOException e) {
        name = "";
      }
    }
    String plain = name.replaceAll("[^A-Za-z0-9._-]", "");
    return plain.isEmpty() ? "weir" : plain.substring(0, Math.min(plain.length(), MOST_CHARACTERS));
  }
}

package io.weir.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The scripts, as they are in the resources beside this class: constant, called by digest. */
enum Script {
  TAKE("cells.lua", "take.lua"),
  SETTLE("cells.lua", "settle.lua");

  private final byte[] text;
  private final String digest;

  Script(String... files) {
    StringBuilder joined = new StringBuilder();
    for (String file : files) {
      joined.append(read(file)).append('\n');
    }
    this.text = joined.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    try {
      this.digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-1", e);
    }
  }

  private static String read(String file) {
    try (InputStream in = Script.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("the script " + file + " is missing from this build");
      }
      return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  byte[] text() {
    return text;
  }

  String digest() {
    return digest;
  }
}

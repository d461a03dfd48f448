package io.weir.control.whatif;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes numbers and texts: seven bits a byte, the lowest first. */
final class ByteWriter {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  ByteWriter number(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
    return this;
  }

  ByteWriter fixed(long value) {
    for (int shift = 0; shift < Long.SIZE; shift += 8) {
      out.write((int) (value >>> shift));
    }
    return this;
  }

  ByteWriter text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    number(bytes.length);
    out.writeBytes(bytes);
    return this;
  }

  ByteWriter append(ByteWriter other) {
    out.writeBytes(other.bytes());
    return this;
  }

  byte[] bytes() {
    return out.toByteArray();
  }
}

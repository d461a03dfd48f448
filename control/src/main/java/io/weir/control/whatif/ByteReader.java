package io.weir.control.whatif;

import java.nio.charset.StandardCharsets;

/**
 * Reads what {@link ByteWriter} wrote. Every count is checked against the bytes that are left, so
 * that memory stays proportional to the input, whatever it claims.
 */
final class ByteReader {
  private static final int MAX_SHIFT = 63;

  private final byte[] bytes;
  private int at;

  ByteReader(byte[] bytes) {
    this.bytes = bytes;
  }

  long number() throws RecordingFormatException {
    long value = 0;
    for (int shift = 0; shift <= MAX_SHIFT; shift += 7) {
      byte next = next();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new RecordingFormatException("a number of more than 64 bits");
  }

  /** A number from 0 to {@code most}. */
  int number(int most) throws RecordingFormatException {
    long value = number();
    if (value < 0 || value > most) {
      throw new RecordingFormatException("a number above " + most);
    }
    return (int) value;
  }

  /** The number of items that follow, each of which takes at least some bytes. */
  int count(int bytesEach) throws RecordingFormatException {
    long count = number();
    if (count < 0 || count > (bytes.length - at) / bytesEach) {
      throw new RecordingFormatException("more items than bytes");
    }
    return (int) count;
  }

  long fixed() throws RecordingFormatException {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 8) {
      value |= (next() & 0xffL) << shift;
    }
    return value;
  }

  String text(int most) throws RecordingFormatException {
    int length = count(1);
    if (length > most) {
      throw new RecordingFormatException("a text of more than " + most + " bytes");
    }
    at += length;
    return new String(bytes, at - length, length, StandardCharsets.UTF_8);
  }

  boolean isAtEnd() {
    return at == bytes.length;
  }

  private byte next() throws RecordingFormatException {
    if (at == bytes.length) {
      throw new RecordingFormatException("the end is missing");
    }
    return bytes[at++];
  }
}

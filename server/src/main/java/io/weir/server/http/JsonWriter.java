package io.weir.server.http;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON into bytes. Commas are automatic, field names are encoded once, and each event loop
 * reuses one writer.
 */
public final class JsonWriter {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

  /** A buffer larger than this is not reused for the next response. */
  private static final int MAX_REUSED = 64 * 1024;

  private byte[] bytes = new byte[1024];
  private int size;
  private boolean comma;

  /** An encoded field name. */
  public static byte[] name(String name) {
    return ('"' + name + "\":").getBytes(StandardCharsets.US_ASCII);
  }

  /** Clears the writer for the next document. */
  public JsonWriter clear() {
    if (bytes.length > MAX_REUSED) {
      bytes = new byte[1024];
    }
    size = 0;
    comma = false;
    return this;
  }

  public JsonWriter open() {
    return begin('{');
  }

  public JsonWriter close() {
    return end('}');
  }

  public JsonWriter openList() {
    return begin('[');
  }

  public JsonWriter closeList() {
    return end(']');
  }

  private JsonWriter begin(char bracket) {
    separate();
    put(bracket);
    comma = false;
    return this;
  }

  private JsonWriter end(char bracket) {
    room(1);
    put(bracket);
    comma = true;
    return this;
  }

  /** The name of the next value, from {@link #name}. */
  public JsonWriter field(byte[] name) {
    separate();
    raw(name);
    comma = false;
    return this;
  }

  public JsonWriter flag(boolean value) {
    return plain(value ? TRUE : FALSE);
  }

  public JsonWriter nullValue() {
    return plain(NULL);
  }

  private JsonWriter plain(byte[] text) {
    separate();
    raw(text);
    comma = true;
    return this;
  }

  public JsonWriter number(long value) {
    separate();
    comma = true;
    room(20);
    if (value < 0) {
      raw(Long.toString(value).getBytes(StandardCharsets.US_ASCII));
      return this;
    }
    int digits = 1;
    for (long rest = value / 10; rest > 0; rest /= 10) {
      digits++;
    }
    int at = size + digits;
    size = at;
    long rest = value;
    do {
      bytes[--at] = (byte) ('0' + rest % 10);
      rest /= 10;
    } while (rest > 0);
    return this;
  }

  /** A string, or null. */
  public JsonWriter text(@Nullable String text) {
    if (text == null) {
      return nullValue();
    }
    separate();
    comma = true;
    int length = text.length();
    room(6 * length + 2);
    put('"');
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
        put(c);
      } else if (Character.isHighSurrogate(c)
          && i + 1 < length
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        utf8(Character.toCodePoint(c, text.charAt(++i)));
      } else if (c > 0x9f && !Character.isSurrogate(c)) {
        utf8(c);
      } else {
        escape(c);
      }
    }
    put('"');
    return this;
  }

  /** A field that is a list of strings. */
  public JsonWriter texts(byte[] name, Iterable<String> texts) {
    field(name).openList();
    texts.forEach(this::text);
    return closeList();
  }

  private void utf8(int point) {
    if (point < 0x800) {
      put(0xc0 | point >> 6);
    } else {
      if (point < 0x10000) {
        put(0xe0 | point >> 12);
      } else {
        put(0xf0 | point >> 18);
        put(0x80 | point >> 12 & 0x3f);
      }
      put(0x80 | point >> 6 & 0x3f);
    }
    put(0x80 | point & 0x3f);
  }

  private void escape(char c) {
    put('\\');
    if (c == '"' || c == '\\') {
      put(c);
    } else if (c == '\n') {
      put('n');
    } else {
      put('u');
      for (int shift = 12; shift >= 0; shift -= 4) {
        put(HEX[c >> shift & 0xf]);
      }
    }
  }

  private void separate() {
    room(2);
    if (comma) {
      put(',');
    }
  }

  private void raw(byte[] text) {
    room(text.length);
    System.arraycopy(text, 0, bytes, size, text.length);
    size += text.length;
  }

  private void put(int b) {
    bytes[size++] = (byte) b;
  }

  private void room(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
    }
  }

  /** The document. */
  Buffer toBuffer() {
    return Buffer.buffer(size).appendBytes(bytes, 0, size);
  }

  @Override
  public String toString() {
    return new String(bytes, 0, size, StandardCharsets.UTF_8);
  }
}

package io.weir.server;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Writes HTTP/2 frames as it is told, for what no proper client, or server, would send. */
final class RawHttp2 implements AutoCloseable {
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RESET = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int WINDOW_UPDATE = 8;
  static final int END_STREAM = 1;
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int END_HEADERS = 4;
  private static final int WITH_PRIORITY = 32;
  private static final int ACK = 1;

  /** A frame that came. */
  record Frame(int type, int flags, int stream, byte[] payload) {}

  private final Socket socket;
  private final DataOutputStream out;
  private final DataInputStream in;
  private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);

  /** The side of the client. */
  RawHttp2(int port) throws IOException {
    this(new Socket("127.0.0.1", port));
    out.write(PREFACE);
    write(SETTINGS, 0, 0, new byte[0]);
  }

  private RawHttp2(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(15_000);
    socket.setTcpNoDelay(true); // frames are small, and each would wait for the last one's ACK
    out = new DataOutputStream(socket.getOutputStream());
    in = new DataInputStream(socket.getInputStream());
  }

  /** The side of the server. */
  static RawHttp2 accepted(Socket socket) throws IOException {
    RawHttp2 server = new RawHttp2(socket);
    server.in.readNBytes(PREFACE.length);
    server.write(SETTINGS, 0, 0, new byte[0]);
    return server;
  }

  /** Begins a stream with a {@code GET /} that has other headers, or these, besides. */
  RawHttp2 get(int stream, String... headers) throws IOException {
    return head(stream, END_STREAM, "GET", headers);
  }

  /** A request without a body for a path at a host, as they are. */
  RawHttp2 ask(int stream, String host, String path) throws IOException {
    return fields(
        stream, END_STREAM, ":method", "GET", ":scheme", "http", ":path", path, ":authority", host);
  }

  /** Begins a stream; names and values go out as they are, one byte for each character. */
  RawHttp2 head(int stream, int flags, String method, String... headers) throws IOException {
    return fields(stream, flags, usual(method, headers));
  }

  private static String[] usual(String method, String... headers) {
    String[] all = new String[headers.length + 8];
    String[] first = {":method", method, ":scheme", "http", ":path", "/", ":authority", "x"};
    System.arraycopy(first, 0, all, 0, 8);
    System.arraycopy(headers, 0, all, 8, headers.length);
    return all;
  }

  /** Begins a stream with these fields and no others. */
  RawHttp2 fields(int stream, int flags, String... fields) throws IOException {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (int i = 0; i < fields.length; i += 2) {
      block.write(0); // a literal with a new name, not for the table
      literal(fields[i], block);
      literal(fields[i + 1], block);
    }
    write(HEADERS, flags | END_HEADERS, stream, block.toByteArray());
    return this;
  }

  private static void literal(String text, ByteArrayOutputStream block) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    if (bytes.length > 126) {
      throw new IllegalArgumentException("this client knows short texts only");
    }
    block.write(bytes.length);
    block.writeBytes(bytes);
  }

  void write(int type, int flags, int stream, byte[] payload) throws IOException {
    out.writeByte(payload.length >>> 16);
    out.writeShort(payload.length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(payload);
    out.flush();
  }

  /** The next frame of this type on this stream; confirms settings on the way. */
  Frame next(int type, int stream) throws IOException {
    while (true) {
      Frame frame = next();
      if (frame.type() == type && frame.stream() == stream) {
        return frame;
      }
    }
  }

  /** The next frame, whatever it is; confirms it if it brings settings. */
  Frame next() throws IOException {
    int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
    int type = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int stream = in.readInt();
    byte[] payload = in.readNBytes(length);
    if (type == SETTINGS && (flags & ACK) == 0) {
      write(SETTINGS, ACK, 0, new byte[0]);
    }
    return new Frame(type, flags, stream, payload);
  }

  /** The status that a stream is answered with; streams are to be asked in order. */
  int status(int stream) throws IOException, Http2Exception {
    return Integer.parseInt(headers(stream).status().toString());
  }

  /** The next head, or trailers, of a stream; streams are to be asked in order. */
  Http2Headers headers(int stream) throws IOException, Http2Exception {
    Frame frame = next(HEADERS, stream);
    int skipped = (frame.flags() & WITH_PRIORITY) == 0 ? 0 : 5;
    return decoder.decodeHeaders(
        stream, Unpooled.wrappedBuffer(frame.payload(), skipped, frame.payload().length - skipped));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

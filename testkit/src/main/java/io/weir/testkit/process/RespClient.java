package io.weir.testkit.process;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A minimal client for one Redis connection: RESP2, one command at a time.
 *
 * <p>Replies become {@code String} (simple and bulk), {@code Long}, {@code List<Object>}, and an
 * empty {@code Optional} for nil; an error is thrown as {@link RedisReplyException}.
 */
final class RespClient implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private final Charset charset;

  private RespClient(Socket socket, Charset charset) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
    this.charset = charset;
  }

  /** Connects to a loopback port; the timeout applies to each reply. */
  static RespClient connect(int port, Duration timeout) throws IOException {
    return connect(port, timeout, StandardCharsets.UTF_8);
  }

  /** With ISO 8859-1, arbitrary bytes survive the way from a reply to the next command. */
  static RespClient connect(int port, Duration timeout, Charset charset) throws IOException {
    Socket socket = new Socket();
    try {
      int millis = Math.toIntExact(timeout.toMillis());
      socket.setSoTimeout(millis);
      socket.setTcpNoDelay(true);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), millis);
      return new RespClient(socket, charset);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** Uses a socket that is already connected, an encrypted one for example. */
  static RespClient over(Socket socket) throws IOException {
    return new RespClient(socket, StandardCharsets.UTF_8);
  }

  Object call(List<String> command) throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(("*" + command.size() + "\r\n").getBytes(charset));
    for (String word : command) {
      byte[] bytes = word.getBytes(charset);
      request.writeBytes(("$" + bytes.length + "\r\n").getBytes(charset));
      request.writeBytes(bytes);
      request.writeBytes("\r\n".getBytes(charset));
    }
    socket.getOutputStream().write(request.toByteArray());
    return readReply();
  }

  private Object readReply() throws IOException {
    String line = readLine();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case '-' -> throw new RedisReplyException(rest);
      case ':' -> Long.valueOf(rest);
      case '$' -> readBulk(Integer.parseInt(rest));
      case '*' -> readArray(Integer.parseInt(rest));
      default -> throw new IOException("not RESP: " + line);
    };
  }

  private Object readBulk(int length) throws IOException {
    if (length < 0) {
      return Optional.empty();
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length || in.readNBytes(2).length < 2) {
      throw new EOFException("connection closed inside a reply");
    }
    return new String(bytes, charset);
  }

  private Object readArray(int length) throws IOException {
    if (length < 0) {
      return Optional.empty();
    }
    List<Object> items = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      items.add(readReply());
    }
    return items;
  }

  private String readLine() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\r'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("connection closed before a reply");
      }
      line.write(b);
    }
    if (in.read() != '\n' || line.size() == 0) {
      throw new IOException("not RESP");
    }
    return line.toString(charset);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

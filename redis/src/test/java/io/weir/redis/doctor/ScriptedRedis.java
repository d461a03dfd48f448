package io.weir.redis.doctor;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A fake Redis that answers OK to every command except one, whose reply is given. */
final class ScriptedRedis implements AutoCloseable {
  private final ServerSocket listener;
  private final String command;
  private final String reply;

  private ScriptedRedis(ServerSocket listener, String command, String reply) {
    this.listener = listener;
    this.command = command;
    this.reply = reply;
  }

  /** With the reply to a command as raw bytes; an empty reply is silence. */
  static ScriptedRedis answering(String command, String reply) throws IOException {
    ServerSocket listener = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"));
    ScriptedRedis redis = new ScriptedRedis(listener, command, reply);
    daemon(redis::accept);
    return redis;
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "scripted-redis");
    thread.setDaemon(true);
    thread.start();
  }

  String address() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        daemon(() -> serve(client));
      }
    } catch (IOException closed) {
      // The server was closed.
    }
  }

  private void serve(Socket client) {
    try (client) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
      for (String count = in.readLine(); count != null; count = in.readLine()) {
        String name = "";
        for (int words = Integer.parseInt(count.substring(1)); words > 0; words--) {
          in.readLine(); // its length
          String word = in.readLine();
          name = name.isEmpty() ? word : name;
        }
        String answer = name.equals(command) ? reply : "+OK\r\n";
        client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
      }
    } catch (IOException gone) {
      // The client has disconnected.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}

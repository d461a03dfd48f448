package io.weir.testkit.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Configures a {@link RedisServer}. Later settings override earlier ones and the defaults: nothing
 * is saved to disk, replicas are synchronised without delay.
 */
public final class RedisServerBuilder {
  /** The user of the testkit itself when the server has access rules. */
  private static final String CONTROL_USER = "testkit";

  private final List<String> lines = new ArrayList<>();
  private RedisBinary binary = RedisBinary.find();
  private List<String> auth = List.of();
  private List<String> acl = List.of();
  private int tlsPort;
  private boolean sentinel;

  RedisServerBuilder() {}

  /** The server to run; {@link RedisBinary#find} by default. */
  public RedisServerBuilder binary(RedisBinary binary) {
    this.binary = binary;
    return this;
  }

  /** Adds a line to redis.conf, such as {@code maxmemory 2mb} or {@code appendonly yes}. */
  public RedisServerBuilder config(String line) {
    lines.add(line);
    return this;
  }

  /** Requires a password from clients and replicas. */
  public RedisServerBuilder password(String password) {
    auth = List.of("AUTH", password);
    return config("requirepass " + password).config("masterauth " + password);
  }

  /**
   * Lines of an ACL file, such as {@code user weir on >secret ~weir:* +@all} or {@code user default
   * off}. The testkit connects as a separate user, so these lines may forbid anything.
   */
  public RedisServerBuilder acl(String... users) {
    acl = List.of(users);
    auth = List.of("AUTH", CONTROL_USER, CONTROL_USER);
    return this;
  }

  /** Listens with TLS in addition, on a separate port, without client certificates. */
  public RedisServerBuilder tls(TlsFiles files) {
    tlsPort = FreePorts.free();
    return config("tls-port " + tlsPort)
        .config("tls-cert-file " + files.serverCertificate())
        .config("tls-key-file " + files.serverKey())
        .config("tls-ca-cert-file " + files.ca())
        .config("tls-auth-clients no");
  }

  /** As {@link #tls}, and rejects clients without a certificate of the same authority. */
  public RedisServerBuilder mutualTls(TlsFiles files) {
    return tls(files).config("tls-auth-clients yes");
  }

  RedisServerBuilder sentinel() {
    sentinel = true;
    return this;
  }

  /** Starts the server and waits until it answers. */
  public RedisServer start() {
    return launch().awaitReady();
  }

  /** Starts the process without waiting, so that several can start at once. */
  RedisServer launch() {
    int port = FreePorts.free();
    TempFolder scratch = TempFolder.create((sentinel ? "sentinel-" : "redis-") + port);
    Path conf = scratch.write("redis.conf", configFile(port, scratch));
    List<String> command = new ArrayList<>(List.of(binary.path().toString(), conf.toString()));
    if (sentinel) {
      command.add("--sentinel");
    }
    return new RedisServer(binary, command, port, tlsPort, auth, scratch);
  }

  private List<String> configFile(int port, TempFolder scratch) {
    List<String> file = new ArrayList<>();
    file.addAll(List.of("port " + port, "bind 127.0.0.1", "dir " + scratch.path()));
    file.add("loglevel warning");
    if (!sentinel) {
      file.addAll(List.of("save \"\"", "repl-diskless-sync yes", "repl-diskless-sync-delay 0"));
    }
    if (!acl.isEmpty()) {
      String control = "user " + CONTROL_USER + " on >" + CONTROL_USER + " ~* &* +@all";
      Stream<String> users = Stream.concat(Stream.of(control), acl.stream());
      file.add("aclfile " + scratch.write("users.acl", users.toList()));
    }
    file.addAll(lines);
    return file;
  }
}

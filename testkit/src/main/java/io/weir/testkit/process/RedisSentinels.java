package io.weir.testkit.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One Redis master with replicas, monitored by three real Sentinels that replace it when it dies.
 *
 * <p>A dead master is detected after half a second; a replica has been promoted a few seconds
 * later.
 *
 * <pre>{@code
 * try (RedisSentinels sentinels = RedisSentinels.start(2)) {
 *   RedisServer dead = sentinels.killMaster();
 *   RedisServer master = sentinels.waitForFailover(dead);
 *   dead.restart(); // comes back as a master, and is made a replica soon
 *   sentinels.waitUntilWhole();
 * }
 * }</pre>
 */
public final class RedisSentinels implements AutoCloseable {
  /** The master name by which clients query the Sentinels. */
  public static final String MASTER_NAME = "weir";

  private static final int SENTINELS = 3;

  private final List<RedisServer> servers = new ArrayList<>();
  private final List<RedisServer> sentinels = new ArrayList<>();

  private final RedisBinary binary;
  private final Optional<String> password;
  private final Optional<TlsFiles> tls;

  private RedisSentinels(RedisBinary binary, Optional<String> password, Optional<TlsFiles> tls) {
    this.binary = binary;
    this.password = password;
    this.tls = tls;
  }

  /** With this many replicas, on {@link RedisBinary#find}. */
  public static RedisSentinels start(int replicas) {
    return start(RedisBinary.find(), replicas);
  }

  public static RedisSentinels start(RedisBinary binary, int replicas) {
    return start(new RedisSentinels(binary, Optional.empty(), Optional.empty()), replicas);
  }

  /** With this many replicas; master and replicas require a password, the Sentinels do not. */
  public static RedisSentinels start(int replicas, String password) {
    return start(
        new RedisSentinels(RedisBinary.find(), Optional.of(password), Optional.empty()), replicas);
  }

  /** With this many replicas; master, replicas and Sentinels use TLS between each other. */
  public static RedisSentinels start(int replicas, TlsFiles tls) {
    return start(
        new RedisSentinels(RedisBinary.find(), Optional.empty(), Optional.of(tls)), replicas);
  }

  private static RedisSentinels start(RedisSentinels sentinels, int replicas) {
    try {
      sentinels.form(replicas);
      return sentinels;
    } catch (RuntimeException e) {
      sentinels.close();
      throw e;
    }
  }

  /** Master and replicas, including stopped ones; the initial master comes first. */
  public List<RedisServer> servers() {
    return List.copyOf(servers);
  }

  public List<RedisServer> sentinels() {
    return List.copyOf(sentinels);
  }

  /** Every Sentinel as {@code 127.0.0.1:port}, separated by commas; with TLS its TLS port. */
  public String addresses() {
    return sentinels.stream()
        .map(sentinel -> sentinel.host() + ":" + port(sentinel))
        .collect(Collectors.joining(","));
  }

  /** The master according to a running Sentinel, dead or alive. */
  public RedisServer currentMaster() {
    return masterOf(sentinels.stream().filter(RedisServer::isRunning).findFirst().orElseThrow());
  }

  /** {@code kill -9} of the master; returns it, for a restart. */
  public RedisServer killMaster() {
    RedisServer master = currentMaster();
    master.kill();
    return master;
  }

  /** Waits until all running Sentinels name another master and it accepts writes; returns it. */
  public RedisServer waitForFailover(RedisServer from) {
    waitUntil(
        "the Sentinels to replace " + from,
        () -> {
          List<RedisServer> masters = named();
          return masters.size() == 1
              && masters.get(0) != from
              && masters.get(0).info("role").equals("master");
        });
    return currentMaster();
  }

  /** Waits until the master has all its replicas in sync, and all Sentinels know all of them. */
  public void waitUntilWhole() {
    waitUntil(
        "all Sentinels to know all servers",
        () -> {
          RedisServer master = currentMaster();
          return named().size() == 1
              && servers.stream().allMatch(server -> isInPlace(server, master))
              && sentinels.stream().allMatch(this::seesAll);
        });
  }

  @Override
  public void close() {
    all().forEach(RedisServer::close);
  }

  private int port(RedisServer server) {
    return tls.isPresent() ? server.tlsPort() : server.port();
  }

  private void form(int replicas) {
    servers.add(server().start());
    String master = servers.get(0).host() + " " + port(servers.get(0));
    for (int i = 0; i < replicas; i++) {
      servers.add(server().config("replicaof " + master).launch());
    }
    servers.forEach(RedisServer::awaitReady);
    // The Sentinels then see all replicas in their first poll; the next may be 10 s later.
    waitUntil(
        "the replicas to be in sync",
        () -> servers.stream().allMatch(server -> isInPlace(server, servers.get(0))));
    for (int i = 0; i < SENTINELS; i++) {
      RedisServerBuilder sentinel = sentinel(master);
      password.ifPresent(word -> sentinel.config("sentinel auth-pass " + MASTER_NAME + " " + word));
      sentinels.add(sentinel.launch());
    }
    sentinels.forEach(RedisServer::awaitReady);
    sentinels.forEach(RedisSentinels::pollOften);
    waitUntilWhole();
  }

  private Stream<RedisServer> all() {
    return Stream.concat(sentinels.stream(), servers.stream());
  }

  private RedisServerBuilder builder() {
    RedisServerBuilder builder = RedisServer.builder().binary(binary);
    tls.ifPresent(files -> builder.tls(files).config("tls-replication yes"));
    return builder;
  }

  private RedisServerBuilder server() {
    RedisServerBuilder server = builder();
    password.ifPresent(server::password);
    return server;
  }

  private RedisServerBuilder sentinel(String master) {
    return builder()
        .sentinel()
        .config("sentinel monitor " + MASTER_NAME + " " + master + " 2")
        .config("sentinel down-after-milliseconds " + MASTER_NAME + " 500")
        .config("sentinel failover-timeout " + MASTER_NAME + " 2000");
  }

  /** Makes Sentinels of Redis 7 poll more often than every 10 s. */
  private static void pollOften(RedisServer sentinel) {
    if (sentinel.binary().isAtLeast(7, 0)) {
      sentinel.command(
          "SENTINEL", "DEBUG", "INFO-PERIOD", "500", "PUBLISH-PERIOD", "300", "ASK-PERIOD", "300");
    }
  }

  private RedisServer masterOf(RedisServer sentinel) {
    List<?> address =
        (List<?>) sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME);
    int port = Integer.parseInt((String) address.get(1));
    return servers.stream().filter(server -> port(server) == port).findFirst().orElseThrow();
  }

  /** The masters according to the running Sentinels; one if they agree. */
  private List<RedisServer> named() {
    return sentinels.stream()
        .filter(RedisServer::isRunning)
        .map(this::masterOf)
        .distinct()
        .toList();
  }

  private boolean isInPlace(RedisServer server, RedisServer master) {
    return server == master
        ? server.info("role").equals("master")
        : server.info("role").equals("slave")
            && server.info("master_link_status").equals("up")
            && server.info("master_port").equals(Integer.toString(port(master)));
  }

  private boolean seesAll(RedisServer sentinel) {
    List<?> master = (List<?>) sentinel.command("SENTINEL", "MASTER", MASTER_NAME);
    return field(master, "num-slaves").equals(Integer.toString(servers.size() - 1))
        && field(master, "num-other-sentinels").equals(Integer.toString(SENTINELS - 1))
        && field(master, "flags").equals("master");
  }

  /** Sentinel replies with a list of alternating names and values. */
  private static Object field(List<?> pairs, String name) {
    return pairs.get(pairs.indexOf(name) + 1);
  }

  private void waitUntil(String what, Callable<Boolean> condition) {
    AgreementWait.waitUntil(what, all().toList(), condition);
  }
}

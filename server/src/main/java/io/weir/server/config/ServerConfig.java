package io.weir.server.config;

import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.redis.RedisOptions;
import io.weir.rules.AttributeSource;
import io.weir.store.memory.MemoryStore;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * All that a process can be told: {@code weir.yaml}, the environment and the flags, checked.
 *
 * @param shared where state that the fleet shares is, if anywhere
 * @param rules the rule document, if there is any
 * @param stateFolder where the last good rules are remembered, if anywhere
 * @param reservationSecret what reservations are signed with; empty for one made at start
 * @param frontEnd how requests are met
 */
public record ServerConfig(
    ListenAddress http,
    ListenAddress admin,
    ListenAddress grpc,
    Memory memory,
    SharedStoreSettings shared,
    LoadLimit guard,
    Optional<Path> rules,
    Optional<Path> stateFolder,
    String reservationSecret,
    FrontEndSettings frontEnd,
    EnvoySettings envoy) {

  /** What holds where nothing else is said. */
  public static final ServerConfig DEFAULT =
      new ServerConfig(
          new ListenAddress("127.0.0.1", 8080),
          new ListenAddress("127.0.0.1", 6070),
          new ListenAddress("127.0.0.1", 8081),
          new Memory(MemoryStore.DEFAULT_MAX_KEYS, 0),
          SharedStoreSettings.NONE,
          new LoadLimit(Limit.perSecond(200_000), 20_000),
          Optional.empty(),
          Optional.empty(),
          "",
          FrontEndSettings.DEFAULT,
          EnvoySettings.DEFAULT);

  /**
   * How large the memory store may become.
   *
   * @param maxBytes 0 for as much as the keys need
   */
  public record Memory(long maxKeys, long maxBytes) {
    public MemoryStore store() {
      MemoryStore.Builder builder = MemoryStore.builder();
      if (maxBytes > 0) {
        builder.maxBytes(maxBytes);
      }
      return builder.maxKeys(maxKeys).build();
    }
  }

  /** What the process takes on at most. */
  public record LoadLimit(TokenBucket rate, int inFlight) {}

  /**
   * Reads the configuration from a file, if there is one, and the environment, which has the last
   * word.
   *
   * @throws ConfigException with everything that is wrong
   */
  public static ServerConfig read(Optional<Path> file, Map<String, String> environment)
      throws ConfigException {
    return ConfigReader.read(file, environment, Optional.empty());
  }

  /**
   * As {@link #read(Optional, Map)}, with the address of a Redis that was named in some other way
   * and overrides the one that is set.
   */
  public static ServerConfig read(
      Optional<Path> file, Map<String, String> environment, Optional<String> redis)
      throws ConfigException {
    return ConfigReader.read(file, environment, redis);
  }

  /** The same, listening elsewhere for decisions. */
  public ServerConfig http(ListenAddress address) {
    return with(draft -> draft.http = address);
  }

  /** The same, listening elsewhere for administrators. */
  public ServerConfig admin(ListenAddress address) {
    return with(draft -> draft.admin = address);
  }

  /**
   * Whether gRPC was asked for, by its address or by a folder of Envoy's limits. A server that was
   * not asked for it starts without it if its port is in use.
   */
  public boolean needsGrpc() {
    return envoy().folder().isPresent() || !grpc.equals(DEFAULT.grpc);
  }

  /** The same with another gRPC address. */
  public ServerConfig grpc(ListenAddress address) {
    return with(draft -> draft.grpc = address);
  }

  /** The same with a memory store of another size. */
  public ServerConfig memory(Memory other) {
    return with(draft -> draft.memory = other);
  }

  /** The same with state in this Redis. */
  public ServerConfig redis(RedisOptions options) {
    return with(draft -> draft.shared = shared.redis(options));
  }

  /** The same with another ceiling. */
  public ServerConfig guard(LoadLimit ceiling) {
    return with(draft -> draft.guard = ceiling);
  }

  /** The same with rules from this file or folder. */
  public ServerConfig rules(Path fileOrFolder) {
    return with(draft -> draft.rules = Optional.of(fileOrFolder));
  }

  /** The same, remembering the last good rules in this folder. */
  public ServerConfig stateFolder(Path folder) {
    return with(draft -> draft.stateFolder = Optional.of(folder));
  }

  /** The same, meeting requests in another way. */
  public ServerConfig frontEnd(FrontEndSettings other) {
    return with(draft -> draft.frontEnd = other);
  }

  /** The same, signing reservations with this; instances that settle each other's share it. */
  public ServerConfig reservationSecret(String secret) {
    return with(draft -> draft.reservationSecret = secret);
  }

  /**
   * The attributes that calls can have: any, where services ask for decisions; with a gateway, what
   * its identity settings give.
   */
  public AttributeSource attributes() {
    return frontEnd.gateway().isOn()
        ? frontEnd.identity().attributes("requests to the gateway")
        : AttributeSource.ANY;
  }

  /** Where state that the fleet shares is, if anywhere. */
  public Optional<RedisOptions> redis() {
    return shared.redis();
  }

  /** The same, sharing state in another way. */
  public ServerConfig shared(SharedStoreSettings other) {
    return with(draft -> draft.shared = other);
  }

  /** Where state lives, without any password. */
  public String store() {
    return redis().map(options -> options.address().toString()).orElse("memory");
  }

  /** The same with other settings for Envoy. */
  public ServerConfig envoy(EnvoySettings settings) {
    return with(draft -> draft.envoy = settings);
  }

  private ServerConfig with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.config();
  }

  /** A configuration while something in it is changed. */
  private static final class Draft {
    private ListenAddress http;
    private ListenAddress admin;
    private ListenAddress grpc;
    private Memory memory;
    private SharedStoreSettings shared;
    private LoadLimit guard;
    private Optional<Path> rules;
    private Optional<Path> stateFolder;
    private String reservationSecret;
    private FrontEndSettings frontEnd;
    private EnvoySettings envoy;

    Draft(ServerConfig of) {
      this.http = of.http;
      this.admin = of.admin;
      this.grpc = of.grpc;
      this.memory = of.memory;
      this.shared = of.shared;
      this.guard = of.guard;
      this.rules = of.rules;
      this.stateFolder = of.stateFolder;
      this.reservationSecret = of.reservationSecret;
      this.frontEnd = of.frontEnd;
      this.envoy = of.envoy;
    }

    ServerConfig config() {
      return new ServerConfig(
          http,
          admin,
          grpc,
          memory,
          shared,
          guard,
          rules,
          stateFolder,
          reservationSecret,
          frontEnd,
          envoy);
    }
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "http " + http + ", admin " + admin + ", store " + store() + ", rules " + rules;
  }
}

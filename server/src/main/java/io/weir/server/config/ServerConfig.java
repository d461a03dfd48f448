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
 * The validated configuration of a process, from {@code weir.yaml}, the environment and the flags.
 *
 * @param shared the store that the fleet shares, if any
 * @param rules the rule document, if any
 * @param stateFolder the folder for the last good rules and the control plane's state, if any
 * @param control the control plane; it needs a state folder
 * @param reservationSecret the key that signs reservations; empty for one generated at start
 * @param frontEnd the settings of the listeners
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
    ControlSettings control,
    String reservationSecret,
    FrontEndSettings frontEnd,
    EnvoySettings envoy) {

  /** The defaults. */
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
          ControlSettings.DEFAULT,
          "",
          FrontEndSettings.DEFAULT,
          EnvoySettings.DEFAULT);

  /**
   * The maximum size of the memory store.
   *
   * @param maxBytes 0 for as many as the keys need
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

  /** The limits of the load guard. */
  public record LoadLimit(TokenBucket rate, int inFlight) {}

  /**
   * Reads the configuration from a file, if there is one, and from the environment, which overrides
   * it.
   *
   * @throws ConfigException with all errors
   */
  public static ServerConfig read(Optional<Path> file, Map<String, String> environment)
      throws ConfigException {
    return ConfigReader.read(file, environment, Optional.empty());
  }

  /**
   * As {@link #read(Optional, Map)}, with the address of a Redis that overrides the configured one.
   */
  public static ServerConfig read(
      Optional<Path> file, Map<String, String> environment, Optional<String> redis)
      throws ConfigException {
    return ConfigReader.read(file, environment, redis);
  }

  /** A copy with another data port. */
  public ServerConfig http(ListenAddress address) {
    return with(draft -> draft.http = address);
  }

  /** A copy with another admin port. */
  public ServerConfig admin(ListenAddress address) {
    return with(draft -> draft.admin = address);
  }

  /**
   * Whether gRPC is configured, by its address or by a folder of Envoy limits. If it is not, the
   * process starts without gRPC when the port is in use.
   */
  public boolean needsGrpc() {
    return envoy().folder().isPresent() || !grpc.equals(DEFAULT.grpc);
  }

  /** A copy with another gRPC address. */
  public ServerConfig grpc(ListenAddress address) {
    return with(draft -> draft.grpc = address);
  }

  /** A copy with a memory store of another size. */
  public ServerConfig memory(Memory other) {
    return with(draft -> draft.memory = other);
  }

  /** A copy with state in this Redis. */
  public ServerConfig redis(RedisOptions options) {
    return with(draft -> draft.shared = shared.redis(options));
  }

  /** A copy with another load guard. */
  public ServerConfig guard(LoadLimit other) {
    return with(draft -> draft.guard = other);
  }

  /** A copy with rules from this file or folder. */
  public ServerConfig rules(Path fileOrFolder) {
    return with(draft -> draft.rules = Optional.of(fileOrFolder));
  }

  /** A copy that saves the last good rules in this folder. */
  public ServerConfig stateFolder(Path folder) {
    return with(draft -> draft.stateFolder = Optional.of(folder));
  }

  /** A copy with other settings of the control plane. */
  public ServerConfig control(ControlSettings other) {
    return with(draft -> draft.control = other);
  }

  /** A copy with other listener settings. */
  public ServerConfig frontEnd(FrontEndSettings other) {
    return with(draft -> draft.frontEnd = other);
  }

  /**
   * A copy that signs reservations with this secret. Instances that settle each other's
   * reservations share it.
   */
  public ServerConfig reservationSecret(String secret) {
    return with(draft -> draft.reservationSecret = secret);
  }

  /**
   * The attributes that calls can have: any for the check API; with a gateway, those of its
   * identity settings.
   */
  public AttributeSource attributes() {
    return frontEnd.gateway().isOn()
        ? frontEnd.identity().attributes("requests to the gateway")
        : AttributeSource.ANY;
  }

  /** The Redis that the fleet shares, if any. */
  public Optional<RedisOptions> redis() {
    return shared.redis();
  }

  /** A copy with another shared store. */
  public ServerConfig shared(SharedStoreSettings other) {
    return with(draft -> draft.shared = other);
  }

  /** The store for people to read, without any password. */
  public String store() {
    return redis().map(options -> options.address().toString()).orElse("memory");
  }

  /** A copy with other Envoy settings. */
  public ServerConfig envoy(EnvoySettings settings) {
    return with(draft -> draft.envoy = settings);
  }

  private ServerConfig with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.config();
  }

  /** A mutable copy of a configuration. */
  private static final class Draft {
    private ListenAddress http;
    private ListenAddress admin;
    private ListenAddress grpc;
    private Memory memory;
    private SharedStoreSettings shared;
    private LoadLimit guard;
    private Optional<Path> rules;
    private Optional<Path> stateFolder;
    private ControlSettings control;
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
      this.control = of.control;
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
          control,
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

package io.weir.server.admin.api;

import io.weir.control.ControlStores;
import io.weir.control.database.DatabaseOpener;
import io.weir.control.database.DatabaseSettings;
import io.weir.control.store.Role;
import io.weir.control.store.Token;
import io.weir.engine.Engine;
import io.weir.rule.RuleSet;
import io.weir.rules.RuleDocuments;
import io.weir.server.AdminRoutes;
import io.weir.server.config.AdminRole;
import io.weir.server.config.AdminSettings;
import io.weir.server.config.ConfigException;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import io.weir.server.control.ControlServices;
import io.weir.server.fixture.AdminRequests;
import io.weir.server.front.Health;
import io.weir.server.http.ConnectionTracker;
import io.weir.server.http.InternalErrors;
import io.weir.server.listen.ListenerGroup;
import io.weir.server.metrics.HotKeyAdvisor;
import io.weir.server.metrics.Metrics;
import io.weir.server.state.ServerStores;
import io.weir.time.SystemTime;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * The admin port over a real control database, with one configured token per role: {@code
 * test-viewer}, {@code test-operator}, {@code test-admin}.
 */
final class ApiServer implements AutoCloseable {
  static final String RULES =
      """
      version: 1
      rules:
        - { id: payments, key: [user], limit: 5/s }
        - { id: search, key: [user, region], limit: [100/s, { rate: 2000/min, name: minute }] }
      """;

  private final Metrics metrics = new Metrics(new InternalErrors());
  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private final DatabaseOpener<ControlStores> database;
  private final Engine engine;
  private final ServerStores counters;
  private final ListenerGroup listeners;
  private final ControlServices services;
  private final CompletableFuture<ControlStores> stores;
  private final ApiClient client;
  private volatile List<Token> tokens = List.of();

  private ApiServer(Supplier<ControlStores> open, AdminSettings access) throws ConfigException {
    this.database = new DatabaseOpener<>(open, SystemTime.INSTANCE, executor);
    RuleSet rules = RuleDocuments.parse("rules.yaml", RULES).value().orElseThrow();
    RecordedTraffic traffic = new RecordedTraffic(rules);
    this.engine = Engine.builder().rules(rules).listener(traffic.ring()).build();
    this.counters = ServerStores.open(ServerConfig.DEFAULT, metrics.store(), metrics.errors());
    StoredControl control = new StoredControl(database, engine);
    this.services =
        new ControlServices(
            database,
            control,
            control,
            control,
            () -> tokens,
            Optional.of(new AuditedKeys(engine, database)),
            Optional.of(traffic));
    this.stores = database.opened().thenApply(this::follow);
    database.start();
    AdminRoutes routes =
        new AdminRoutes(
            access,
            new Health(),
            metrics,
            engine,
            counters,
            new HotKeyAdvisor(() -> 1, counters.layout(), rule -> false),
            Optional.of(services));
    this.listeners =
        new ListenerGroup(FrontEndSettings.DEFAULT, metrics.errors(), ConnectionTracker.TICK);
    ListenAddress address =
        listeners.open(ListenerGroup.ADMIN, new ListenAddress("127.0.0.1", 0), routes::router);
    this.client = new ApiClient(listeners.vertx(), "http://" + address);
  }

  /** The stored tokens, as the feed would bring them. */
  private ControlStores follow(ControlStores opened) {
    tokens = opened.tokens().list();
    opened.changes().onCommit(() -> tokens = opened.tokens().list());
    return opened;
  }

  static ApiServer on(DatabaseSettings settings, Path folder) {
    return on(
        () -> ControlStores.open(settings, SystemTime.INSTANCE, folder.resolve("key"), "api"));
  }

  static ApiServer on(Supplier<ControlStores> open) {
    return on(open, configured());
  }

  static ApiServer on(Supplier<ControlStores> open, AdminSettings access) {
    try {
      return new ApiServer(open, access);
    } catch (ConfigException e) {
      throw new IllegalStateException(e);
    }
  }

  static DatabaseSettings h2(Path folder) {
    return new DatabaseSettings.Embedded(folder.resolve("control"), "this test");
  }

  static AdminSettings configured() {
    return new AdminSettings(
        List.of(
            AdminRequests.token("test-viewer", AdminRole.VIEWER),
            AdminRequests.token("test-operator", AdminRole.OPERATOR),
            AdminRequests.token("test-admin", AdminRole.ADMIN)),
        false);
  }

  static String token(Role role) {
    return "test-" + ApiJson.word(role);
  }

  ApiClient client() {
    return client;
  }

  Engine engine() {
    return engine;
  }

  ControlStores stores() {
    return stores.join();
  }

  /** The routes that the server has. */
  List<ApiRoute> routes() {
    return AdminApi.parts(services, true, engine, SystemTime.INSTANCE).stream()
        .flatMap(part -> part.routes().stream())
        .toList();
  }

  @Override
  public void close() {
    listeners.close();
    database.close();
    engine.close();
    counters.close();
    executor.shutdownNow();
  }
}

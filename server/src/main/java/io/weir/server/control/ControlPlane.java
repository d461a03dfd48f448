package io.weir.server.control;

import io.weir.DecisionListener;
import io.weir.control.ControlStores;
import io.weir.control.database.DatabaseOpener;
import io.weir.control.database.DatabaseSettings;
import io.weir.control.feed.ChangeFeed;
import io.weir.control.feed.ChangeSignal;
import io.weir.control.feed.FeedUpdate;
import io.weir.control.feed.Follower;
import io.weir.control.feed.PostgresListener;
import io.weir.control.feed.StateCache;
import io.weir.control.rollout.DriverLoop;
import io.weir.control.rollout.RolloutDriver;
import io.weir.control.rollout.RolloutFigures;
import io.weir.control.rollout.UpstreamHealth;
import io.weir.control.store.Instance;
import io.weir.control.store.KillSwitch;
import io.weir.control.store.Rollout;
import io.weir.control.store.Version;
import io.weir.control.usage.UsageRecorder;
import io.weir.engine.Engine;
import io.weir.observe.QuotaUsage;
import io.weir.rule.RuleSet;
import io.weir.server.config.ControlSettings;
import io.weir.server.config.ServerConfig;
import io.weir.server.control.task.Attempts;
import io.weir.server.control.task.ControlThreads;
import io.weir.server.metrics.ConfigStaleness;
import io.weir.server.metrics.Metrics;
import io.weir.server.state.RuleSink;
import io.weir.time.TimeSource;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control plane of this instance.
 *
 * <p>The database opens beside the start, and no decision waits for it. Until it is open, and while
 * it is unavailable, the rules, tenants and tokens of the cache on disk hold.
 *
 * <pre>
 *   admin API ─► RulePublisher ─► database ─► Follower ─► FeedApplier ─► RulesInForce ─► Engine
 *                     └─► rule file ─► RuleReloader ──────────────────────┘
 * </pre>
 */
public final class ControlPlane implements AutoCloseable, StatusOperations {
  private static final Logger LOG = LoggerFactory.getLogger(ControlPlane.class);

  private static final Duration OPEN_DELAY = Duration.ofMillis(500);
  private static final RolloutFigures NO_ROLLOUT = new RolloutFigures(false, Optional.empty());

  private final String instance = InstanceName.make();
  private final TimeSource time;
  private final Metrics metrics;
  private final RuleSite site;
  private final StateCache cache;
  private final Optional<FeedUpdate.Snapshot> cached;
  private final DatabaseOpener<ControlStores> database;
  private final RulesInForce inForce;
  private final RulePublisher publisher;
  private final FeedApplier applier;
  private final KillSwitchRoads killSwitches;
  private final TrafficControlsCompiler controls;
  private final TrafficRecorder recorder;
  private final String cell;
  private final PropagationTimes propagation = new PropagationTimes();
  private final ExecutorService executor = ControlThreads.make();
  private final List<AutoCloseable> running = new ArrayList<>();
  private volatile Optional<QuotaUsage> quotas = Optional.empty();
  private volatile Optional<Follower> follower = Optional.empty();
  private volatile Supplier<RolloutFigures> figures = () -> NO_ROLLOUT;
  private volatile Optional<Instant> appliedAt = Optional.empty();
  private boolean closed;

  private ControlPlane(ServerConfig config, Path state, Metrics metrics, TimeSource time) {
    ControlSettings settings = config.control();
    this.time = time;
    this.metrics = metrics;
    this.site =
        new RuleSite(
            config.rules().map(RuleFiles::new),
            settings.rulesInDatabase(),
            settings.database().isPresent());
    DatabaseSettings place = ControlFiles.database(config, state);
    this.cache = new StateCache(ControlFiles.cache(place, state));
    this.database =
        new DatabaseOpener<>(
            () ->
                ControlStores.open(
                    place,
                    time,
                    settings.signingKey().orElse(state.resolve("audit.key")),
                    instance),
            time,
            executor);
    this.cell = ControlFiles.cell(config, state);
    this.recorder = new TrafficRecorder(settings.recording(), time, executor);
    this.inForce = new RulesInForce(site, config.attributes(), new RuleEvents());
    this.publisher = new RulePublisher(database::get, site, config.attributes(), inForce, recorder);
    this.killSwitches =
        new KillSwitchRoads(database::get, this::pushed, new KillSwitchFile(state), time, executor);
    this.controls = new TrafficControlsCompiler(this::databaseAhead, killSwitches::notPushed);
    this.applier = new FeedApplier(inForce, controls, this::onAvailability);
    this.cached = cache.load();
    cached.ifPresent(applier::cached);
  }

  /** The control plane of a process; empty if it has no state folder. */
  public static Optional<ControlPlane> of(ServerConfig config, Metrics metrics, TimeSource time) {
    return config.stateFolder().map(state -> new ControlPlane(config, state, metrics, time));
  }

  /**
   * The rules to start with, by the rule file and the cached state.
   *
   * @param loaded the rules of the file
   */
  public RuleSet firstRules(RuleSet loaded) {
    return inForce.first(loaded);
  }

  /** Takes changes of the rule file. */
  public RuleSink ruleSink() {
    return inForce;
  }

  /** A listener for the engine that records calls after another one has them. */
  public DecisionListener recording(DecisionListener first) {
    return recorder.after(first);
  }

  /** What the admin API calls. */
  public ControlServices services(Engine engine) {
    return new ControlServices(
        database,
        publisher,
        this,
        killSwitches,
        applier::tokens,
        Optional.of(new EngineKeys(engine, database::get, executor)),
        Optional.of(recorder));
  }

  /** Publishes rules and acts on rollouts. */
  RuleOperations rules() {
    return publisher;
  }

  KillSwitchOperations killSwitches() {
    return killSwitches;
  }

  /** The database, as soon as it is open. */
  DatabaseOpener<ControlStores> database() {
    return database;
  }

  /** Hands changes to the engine from now on. */
  public void start(Engine engine) {
    inForce.start(engine, metrics);
    controls.start(engine);
    quotas = engine.quotaUsage();
    killSwitches.start(controls::compile);
    new ControlMetrics(this, applier).register(metrics);
    database
        .opened()
        .thenAcceptAsync(this::opened, executor)
        .exceptionally(
            failure -> {
              LOG.error("the control plane could not be started", failure);
              return null;
            });
  }

  /**
   * Opens the database soon. Its libraries take most of a second of CPU time to load, which the
   * first decisions of a process need more.
   */
  public void open() {
    time.delay(OPEN_DELAY).thenRun(database::start);
  }

  private void opened(ControlStores stores) {
    List<ChangeSignal> signals = new ArrayList<>();
    signals.add(stores.changes()::onCommit);
    Follower reader =
        new Follower(
            new ChangeFeed(stores.database()),
            cache,
            applier,
            time,
            executor,
            () -> ThreadLocalRandom.current().nextDouble());
    Heartbeat heartbeat = new Heartbeat(stores, this::report, controls::usedSince, time, executor);
    RolloutDriver driver =
        new RolloutDriver(stores, instance, publisher.restorer(), UpstreamHealth.UNKNOWN);
    DriverLoop loop = new DriverLoop(driver, time, executor);
    Optional<UsageRecorder> usage =
        quotas.map(it -> new UsageRecorder(it, stores.usage(), time, cell, executor));
    Attempts attempts = new Attempts(time, executor);
    synchronized (this) {
      if (closed) {
        return;
      }
      if (stores.database().settings() instanceof DatabaseSettings.Postgres postgres) {
        PostgresListener notifications = new PostgresListener(postgres, time).start();
        signals.add(notifications);
        running.add(notifications);
      }
      running.addAll(List.of(attempts, reader, heartbeat, loop, recorder));
      usage.ifPresent(running::add);
    }
    follower = Optional.of(reader);
    figures = driver::figures;
    attempts.run("calls are not recorded", () -> recorder.open(stores, instance));
    // The state of an empty database would take the rules of the file out of force.
    attempts
        .run("rules: the file is not imported", publisher::importFirst)
        .thenRun(
            () -> unlessClosed(() -> reader.start(cached, signals.toArray(ChangeSignal[]::new))));
    attempts.run("rules: the text of the file is no version yet", publisher::reconcile);
    unlessClosed(
        () -> {
          heartbeat.start();
          loop.start();
          usage.ifPresent(UsageRecorder::start);
        });
  }

  private synchronized void unlessClosed(Runnable start) {
    if (!closed) {
      start.run();
    }
  }

  /** What happens to the rules. */
  private final class RuleEvents implements RulesInForce.Listener {
    @Override
    public void edited() {
      reconcile();
    }

    @Override
    public void holdsRolledBack() {
      reconcile();
    }

    private void reconcile() {
      if (database.get().isPresent()) {
        executor.execute(
            () -> {
              try {
                publisher.reconcile();
              } catch (RuntimeException e) {
                LOG.warn("rules: the text of the file is no version yet: {}", e.getMessage());
              }
            });
      }
    }

    @Override
    public void changed(RuleSet rules) {
      recorder.rules(rules);
    }

    @Override
    public void applied(Version version, Rollout rollout) {
      Optional<ControlStores> stores = database.get();
      appliedAt = Optional.of(stores.map(it -> it.database().now()).orElseGet(() -> now()));
      if (stores.isPresent() && follower.isPresent()) {
        Duration took = Duration.between(rollout.entered(), appliedAt.get());
        propagation.add(took);
        metrics.onRulesPropagated(took);
      }
    }
  }

  private Instant now() {
    return Instant.EPOCH.plus(time.wallMicros(), ChronoUnit.MICROS);
  }

  private void onAvailability(boolean up) {
    if (site.inDatabase()) {
      if (up) {
        metrics.staleness().markFresh(ConfigStaleness.Source.DATABASE);
      } else {
        metrics.staleness().markStale(ConfigStaleness.Source.DATABASE);
      }
    }
  }

  private Instance report() {
    ControlStores stores = database.get().orElseThrow();
    return new Instance(
        instance,
        inForce.version(),
        appliedAt,
        TextList.toJson(rejected()),
        applier.seq(),
        applier.head(),
        stores.database().clockOffset(),
        stores.database().now());
  }

  /** The version in force; 0 for none. */
  long version() {
    return inForce.version();
  }

  /** What could not be applied. */
  List<String> rejected() {
    List<String> all = new ArrayList<>(inForce.rejected());
    all.addAll(controls.rejected());
    return all;
  }

  /** What is known of the newest rollout. */
  RolloutFigures rollout() {
    return figures.get();
  }

  private List<KillSwitch> pushed(Instant now) {
    return applier.killSwitches(now);
  }

  private Duration databaseAhead() {
    return database.get().map(it -> it.database().clockOffset()).orElse(Duration.ZERO);
  }

  /** The present moment on the database's clock, as far as it is known. */
  Instant moment() {
    return database.get().map(it -> it.database().now()).orElseGet(this::now);
  }

  @Override
  public LocalStatus local() {
    Optional<ControlStores> stores = database.get();
    Optional<String> unavailable =
        stores.isPresent() && !applier.isUp() && follower.isPresent()
            ? Optional.of("the control database does not answer")
            : database.unavailable();
    List<String> warnings = new ArrayList<>();
    if (inForce.tenantsInBoth() > 0) {
      warnings.add(
          inForce.tenantsInBoth()
              + " tenants are both in the document and in the database; the database wins");
    }
    return new LocalStatus(
        instance,
        unavailable,
        site.truth(),
        inForce.version(),
        appliedAt,
        TextList.bounded(rejected()),
        applier.refusal(),
        stores.map(it -> it.database().isSchemaAhead()).orElse(false),
        stores.map(it -> it.database().clockOffset()).orElse(Duration.ZERO),
        propagation.summary(),
        warnings);
  }

  @Override
  public void acceptLog(String hash) {
    follower.ifPresent(it -> it.acceptLog(hash));
  }

  /**
   * Stops following and closes the database, also one that is being opened now. Rules in force
   * stay.
   */
  @Override
  public void close() {
    List<AutoCloseable> parts;
    synchronized (this) {
      closed = true;
      parts = List.copyOf(running);
    }
    killSwitches.close();
    for (AutoCloseable part : parts) {
      try {
        part.close();
      } catch (Exception e) {
        LOG.warn("the control plane was not closed cleanly: {}", e.toString());
      }
    }
    database.close(); // an attempt that has not begun does not begin any more
    ControlThreads.end(executor);
  }
}

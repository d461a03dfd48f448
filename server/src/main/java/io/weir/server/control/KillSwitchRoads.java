package io.weir.server.control;

import io.weir.control.ControlStores;
import io.weir.control.audit.Origin;
import io.weir.control.database.DatabaseException;
import io.weir.control.store.KillSwitch;
import io.weir.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kill switch on its roads. It is on if any road says so, until that road's own end.
 *
 * <p>A switch is pushed to all instances by the database. If the database is unavailable, it holds
 * on the instance whose admin port was asked. The file is read every second.
 */
final class KillSwitchRoads implements KillSwitchOperations, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KillSwitchRoads.class);
  private static final Duration POLL = Duration.ofSeconds(1);

  private final Supplier<Optional<ControlStores>> database;
  private final Function<Instant, List<KillSwitch>> pushed;
  private final KillSwitchFile file;
  private final TimeSource time;
  private final Executor executor;
  private final Map<String, KillSwitch> local = new ConcurrentHashMap<>();
  private volatile Optional<KillSwitch> inFile = Optional.empty();
  private volatile Runnable onChange = () -> {};
  private volatile boolean closed;

  /** A change of the file that the listener has not taken yet. */
  private volatile boolean unapplied;

  private volatile String failure = "";

  /**
   * @param pushed the switches of the database that are on at a moment
   */
  KillSwitchRoads(
      Supplier<Optional<ControlStores>> database,
      Function<Instant, List<KillSwitch>> pushed,
      KillSwitchFile file,
      TimeSource time,
      Executor executor) {
    this.database = database;
    this.pushed = pushed;
    this.file = file;
    this.time = time;
    this.executor = executor;
    this.inFile = file.read();
  }

  /**
   * Starts to read the file.
   *
   * @param listener called when a switch changes that does not come from the database
   */
  void start(Runnable listener) {
    onChange = listener;
    executor.execute(this::poll);
  }

  private void poll() {
    if (closed) {
      return;
    }
    try {
      readFile();
      failure = "";
    } catch (RuntimeException e) {
      if (!e.toString().equals(failure)) {
        failure = e.toString();
        LOG.error("the kill switch in {} could not be applied; it is read again", file.path(), e);
      }
    } finally {
      time.delay(POLL).thenRunAsync(this::poll, executor);
    }
  }

  private void readFile() {
    Optional<KillSwitch> next = file.read();
    if (!next.equals(inFile)) {
      inFile = next;
      LOG.warn(
          "kill switch in {}: {}",
          file.path(),
          next.map(it -> it.scope() + " until " + it.until()).orElse("off"));
      unapplied = true;
    }
    if (unapplied) {
      onChange.run();
      unapplied = false;
    }
  }

  /** The switches that do not come from the database. */
  List<KillSwitch> notPushed() {
    Instant now = now();
    List<KillSwitch> all = new ArrayList<>(local.values());
    inFile.ifPresent(all::add);
    all.removeIf(it -> !it.until().isAfter(now));
    return all;
  }

  private Instant now() {
    return Instant.EPOCH.plus(time.wallMicros(), ChronoUnit.MICROS);
  }

  @Override
  public Result on(String scope, Instant until, Origin origin) {
    List<Road> reached = new ArrayList<>();
    List<Unreached> unreached = new ArrayList<>();
    try {
      stores().killSwitches().on(scope, until, origin);
      reached.add(Road.PUSH);
    } catch (DatabaseException | IllegalStateException e) {
      unreached.add(new Unreached(Road.PUSH, String.valueOf(e.getMessage())));
      local.put(scope, new KillSwitch(scope, until, origin.message(), origin.actor(), now()));
      reached.add(Road.ADMIN);
      onChange.run();
      LOG.warn(
          "kill switch on this instance only: {} until {}, by {}: {}",
          scope,
          until,
          origin.actor(),
          origin.message());
    }
    return new Result(reached, unreached, active());
  }

  @Override
  public Result off(String scope, Origin origin) {
    List<Road> reached = new ArrayList<>();
    List<Unreached> unreached = new ArrayList<>();
    try {
      stores().killSwitches().off(scope, origin);
      reached.add(Road.PUSH);
    } catch (DatabaseException | IllegalStateException e) {
      unreached.add(new Unreached(Road.PUSH, String.valueOf(e.getMessage())));
    }
    local.remove(scope);
    reached.add(Road.ADMIN);
    if (inFile.filter(it -> it.scope().equals(scope)).isPresent()) {
      try {
        file.delete();
        reached.add(Road.FILE);
      } catch (IOException e) {
        unreached.add(new Unreached(Road.FILE, e.toString()));
      }
      readFile();
    }
    onChange.run();
    return new Result(reached, unreached, active());
  }

  private ControlStores stores() {
    return database
        .get()
        .orElseThrow(() -> new IllegalStateException("the control database is not open"));
  }

  @Override
  public List<Active> active() {
    Instant now = now();
    List<Active> all = new ArrayList<>();
    pushedNow(now).forEach(it -> all.add(active(it, Road.PUSH)));
    local.values().stream()
        .filter(it -> it.until().isAfter(now))
        .forEach(it -> all.add(active(it, Road.ADMIN)));
    inFile.filter(it -> it.until().isAfter(now)).ifPresent(it -> all.add(active(it, Road.FILE)));
    return all;
  }

  /** From the database itself if it answers, so that a change shows at once. */
  private List<KillSwitch> pushedNow(Instant now) {
    try {
      Optional<ControlStores> stores = database.get();
      return stores.isPresent() ? stores.get().killSwitches().list() : pushed.apply(now);
    } catch (DatabaseException e) {
      return pushed.apply(now);
    }
  }

  private static Active active(KillSwitch it, Road road) {
    return new Active(it.scope(), road, it.until(), it.author(), it.message());
  }

  @Override
  public void close() {
    closed = true;
  }
}

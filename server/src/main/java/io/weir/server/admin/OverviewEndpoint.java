package io.weir.server.admin;

import io.weir.engine.Engine;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.server.front.Health;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.JsonWriter;
import io.weir.server.metrics.Metrics;
import io.weir.server.metrics.StoreMetrics;
import io.weir.server.state.ServerStores;
import io.weir.time.TimeSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code GET /admin/v1/overview}: the state of this instance and of its store, and the decisions of
 * its rules. The numbers are those of the metrics, as JSON for the console.
 */
public final class OverviewEndpoint {
  private static final byte[] VERSION = JsonWriter.name("version");
  private static final byte[] HOST = JsonWriter.name("host");
  private static final byte[] PROCESS = JsonWriter.name("process");
  private static final byte[] STATE = JsonWriter.name("state");
  private static final byte[] UPTIME = JsonWriter.name("uptime_seconds");
  private static final byte[] INSTANCES = JsonWriter.name("instances");
  private static final byte[] HOT_KEYS = JsonWriter.name("hot_keys");
  private static final byte[] ERRORS = JsonWriter.name("internal_errors");
  private static final byte[] STORE = JsonWriter.name("store");
  private static final byte[] NAME = JsonWriter.name("name");
  private static final byte[] SHARED = JsonWriter.name("shared");
  private static final byte[] KEYS = JsonWriter.name("keys");
  private static final byte[] NODES = JsonWriter.name("nodes");
  private static final byte[] NODE = JsonWriter.name("node");
  private static final byte[] BREAKER = JsonWriter.name("breaker");
  private static final byte[] DEGRADED = JsonWriter.name("degraded_seconds");
  private static final byte[] ANSWERS = JsonWriter.name("answers");
  private static final byte[] CALLS = JsonWriter.name("calls");
  private static final byte[] DECIDED = JsonWriter.name("decided");
  private static final byte[] REFUSED = JsonWriter.name("refused");
  private static final byte[] UNMATCHED = JsonWriter.name("unmatched");
  private static final byte[] BYPASSED = JsonWriter.name("bypassed");
  private static final byte[] RULES_VERSION = JsonWriter.name("rules_version");
  private static final byte[] RULES_STALE = JsonWriter.name("rules_stale_seconds");
  private static final byte[] RULES = JsonWriter.name("rules");
  private static final byte[] ID = JsonWriter.name("id");
  private static final byte[] DESCRIPTION = JsonWriter.name("description");
  private static final byte[] MODE = JsonWriter.name("mode");
  private static final byte[] PERCENT = JsonWriter.name("percent");
  private static final byte[] KEY = JsonWriter.name("key");
  private static final byte[] LIMITS = JsonWriter.name("limits");
  private static final byte[] ON_FAIL = JsonWriter.name("on_fail");
  private static final byte[] ACCURACY = JsonWriter.name("accuracy");
  private static final byte[] SHARDS = JsonWriter.name("shards");
  private static final byte[] DECISIONS = JsonWriter.name("decisions");

  private final String version;
  private final Engine engine;
  private final Health health;
  private final ServerStores stores;
  private final Metrics metrics;
  private final TimeSource time;
  private final long begun;

  public OverviewEndpoint(
      String version,
      Engine engine,
      Health health,
      ServerStores stores,
      Metrics metrics,
      TimeSource time) {
    this.version = version;
    this.engine = engine;
    this.health = health;
    this.stores = stores;
    this.metrics = metrics;
    this.time = time;
    this.begun = time.micros();
  }

  public void show(HttpExchange exchange, byte[] body) {
    JsonWriter out = exchange.json().open();
    out.field(VERSION).text(version);
    out.field(HOST).text(System.getenv("HOSTNAME"));
    out.field(PROCESS).number(ProcessHandle.current().pid());
    out.field(STATE).text(health.state().word());
    out.field(UPTIME).number((time.micros() - begun) / 1_000_000);
    out.field(INSTANCES).number(stores.instances());
    out.field(HOT_KEYS).number(metrics.hotKeys());
    out.field(ERRORS).number(metrics.errors().count());
    store(out.field(STORE));
    counts(out.field(ANSWERS), metrics.answers());
    out.field(CALLS).open();
    out.field(DECIDED).number(metrics.calls.decided());
    out.field(REFUSED).number(metrics.calls.refused());
    out.close();
    out.field(UNMATCHED).number(metrics.unmatched());
    out.field(BYPASSED).number(metrics.bypassed());
    out.field(RULES_VERSION).number(metrics.rulesVersion());
    out.field(RULES_STALE).number((long) Math.ceil(metrics.staleness().seconds()));
    out.field(RULES).openList();
    engine.rules().rules().forEach(rule -> write(out, rule));
    exchange.answerUncached(out.closeList().close());
  }

  private void store(JsonWriter out) {
    out.open();
    out.field(NAME).text(stores.name());
    out.field(SHARED).flag(engine.nearStore().isPresent());
    out.field(KEYS).number(stores.keys());
    out.field(NODES).openList();
    for (StoreMetrics.NodeStatus node : metrics.store().nodes()) {
      out.open();
      out.field(NODE).text(node.name());
      out.field(BREAKER).text(node.open() ? "open" : "closed");
      out.field(DEGRADED).number(Math.round(node.degradedSeconds()));
      out.close();
    }
    out.closeList().close();
  }

  private void write(JsonWriter out, Rule rule) {
    out.open();
    out.field(ID).text(rule.id());
    out.field(DESCRIPTION).text(rule.description());
    out.field(MODE).text(rule.mode().id());
    out.field(PERCENT).number(rule.percent());
    out.texts(KEY, rule.key());
    out.texts(LIMITS, limits(rule.limits()));
    out.field(ON_FAIL).text(rule.onFail().name().toLowerCase(Locale.ROOT));
    out.field(ACCURACY).text(rule.accuracy().toString());
    out.field(SHARDS).number(rule.shards());
    counts(out.field(DECISIONS), metrics.outcomesOf(rule.id()));
    out.close();
  }

  private static List<String> limits(RuleLimits limits) {
    if (limits instanceof RuleLimits.Listed listed) {
      return listed.limits().stream().map(Object::toString).toList();
    }
    return List.of(limits instanceof RuleLimits.OfTier ? "tier" : "unlimited");
  }

  private static void counts(JsonWriter out, Map<String, Long> counts) {
    out.open();
    counts.forEach((name, count) -> out.field(JsonWriter.name(name)).number(count));
    out.close();
  }
}

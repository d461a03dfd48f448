package io.weir.server;

import io.weir.Weir;
import io.weir.rule.Limits;
import io.weir.rule.Rule;
import io.weir.time.TimeSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code GET /admin/v1/overview}: how this instance is, how its store is, and what its rules have
 * decided. The same numbers as in the metrics, for those who look and do not scrape.
 */
final class OverviewReport {
  private static final byte[] VERSION = Json.name("version");
  private static final byte[] HOST = Json.name("host");
  private static final byte[] PROCESS = Json.name("process");
  private static final byte[] STATE = Json.name("state");
  private static final byte[] UPTIME = Json.name("uptime_seconds");
  private static final byte[] INSTANCES = Json.name("instances");
  private static final byte[] HOT_KEYS = Json.name("hot_keys");
  private static final byte[] ERRORS = Json.name("internal_errors");
  private static final byte[] STORE = Json.name("store");
  private static final byte[] NAME = Json.name("name");
  private static final byte[] SHARED = Json.name("shared");
  private static final byte[] KEYS = Json.name("keys");
  private static final byte[] NODES = Json.name("nodes");
  private static final byte[] NODE = Json.name("node");
  private static final byte[] BREAKER = Json.name("breaker");
  private static final byte[] DEGRADED = Json.name("degraded_seconds");
  private static final byte[] ANSWERS = Json.name("answers");
  private static final byte[] CALLS = Json.name("calls");
  private static final byte[] DECIDED = Json.name("decided");
  private static final byte[] REFUSED = Json.name("refused");
  private static final byte[] UNMATCHED = Json.name("unmatched");
  private static final byte[] BYPASSED = Json.name("bypassed");
  private static final byte[] RULES_VERSION = Json.name("rules_version");
  private static final byte[] RULES_STALE = Json.name("rules_stale_seconds");
  private static final byte[] RULES = Json.name("rules");
  private static final byte[] ID = Json.name("id");
  private static final byte[] DESCRIPTION = Json.name("description");
  private static final byte[] MODE = Json.name("mode");
  private static final byte[] PERCENT = Json.name("percent");
  private static final byte[] KEY = Json.name("key");
  private static final byte[] LIMITS = Json.name("limits");
  private static final byte[] ON_FAIL = Json.name("on_fail");
  private static final byte[] ACCURACY = Json.name("accuracy");
  private static final byte[] SHARDS = Json.name("shards");
  private static final byte[] DECISIONS = Json.name("decisions");

  private final Weir weir;
  private final Health health;
  private final Stores stores;
  private final Metrics metrics;
  private final TimeSource time;
  private final long begun;

  OverviewReport(Weir weir, Health health, Stores stores, Metrics metrics, TimeSource time) {
    this.weir = weir;
    this.health = health;
    this.stores = stores;
    this.metrics = metrics;
    this.time = time;
    this.begun = time.micros();
  }

  void show(Exchange exchange, byte[] body) {
    Json out = exchange.json().open();
    out.field(VERSION).text(WeirServer.version());
    out.field(HOST).text(System.getenv("HOSTNAME"));
    out.field(PROCESS).number(ProcessHandle.current().pid());
    out.field(STATE).text(health.state().word());
    out.field(UPTIME).number((time.micros() - begun) / 1_000_000);
    out.field(INSTANCES).number(stores.instances());
    out.field(HOT_KEYS).number(metrics.hotKeys());
    out.field(ERRORS).number(metrics.faults().count());
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
    weir.rules().rules().forEach(rule -> write(out, rule));
    exchange.answerOnce(out.closeList().close());
  }

  private void store(Json out) {
    out.open();
    out.field(NAME).text(stores.name());
    out.field(SHARED).flag(weir.tier().isPresent());
    out.field(KEYS).number(stores.keys());
    out.field(NODES).openList();
    for (StoreMetrics.Node node : metrics.store().nodes()) {
      out.open();
      out.field(NODE).text(node.name());
      out.field(BREAKER).text(node.open() ? "open" : "closed");
      out.field(DEGRADED).number(Math.round(node.degradedSeconds()));
      out.close();
    }
    out.closeList().close();
  }

  private void write(Json out, Rule rule) {
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
    counts(out.field(DECISIONS), metrics.decided(rule.id()));
    out.close();
  }

  private static List<String> limits(Limits limits) {
    if (limits instanceof Limits.Listed listed) {
      return listed.limits().stream().map(Object::toString).toList();
    }
    return List.of(limits instanceof Limits.OfTier ? "tier" : "unlimited");
  }

  private static void counts(Json out, Map<String, Long> counts) {
    out.open();
    counts.forEach((name, count) -> out.field(Json.name(name)).number(count));
    out.close();
  }
}

package io.weir.server.admin.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.Call;
import io.weir.control.audit.AuditEntry;
import io.weir.control.database.DatabaseSettings;
import io.weir.server.admin.api.ApiClient.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the admin API does, on every database. */
@Timeout(120)
abstract class AdminApiContract {
  private static final String DOCUMENT =
      "version: 1\nrules:\n  - { id: payments, key: [user], limit: %s }\n";
  private static final String VIEWER = "test-viewer";
  private static final String OPERATOR = "test-operator";
  private static final String ADMIN = "test-admin";

  @TempDir Path folder;
  private ApiServer server;
  private ApiClient api;

  abstract DatabaseSettings settings();

  @BeforeEach
  void start() {
    server = ApiServer.on(settings(), folder);
    api = server.client();
    server.stores();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static JsonObject message(String text) {
    return new JsonObject().put("message", text);
  }

  private static JsonObject rules(String limit) {
    return message("limits")
        .put("files", new JsonObject().put("rules.yaml", String.format(DOCUMENT, limit)));
  }

  private AuditEntry lastEntry() {
    long seq = server.stores().audit().head().seq();
    return server.stores().audit().after(seq - 1, 1).get(0);
  }

  private long entries() {
    return server.stores().audit().head().seq();
  }

  @Test
  void publishesAgainstTheVersionThatTheAuthorHasSeen() {
    Answer none = api.get(VIEWER, "/rules");
    assertThat(none.header("etag")).isEqualTo("\"0\"");
    assertThat(none.json().getJsonObject("files")).isEmpty();

    assertThat(api.put(ADMIN, "/rules", rules("5/s")).status()).isEqualTo(428);
    Answer first = api.put(ADMIN, "/rules", rules("10/s"), "If-Match", "\"0\"");
    assertThat(first.status()).isEqualTo(200);
    assertThat(first.header("etag")).isEqualTo("\"1\"");
    assertThat(first.json().getJsonArray("changes").encode()).contains("5/s → 10/s");
    assertThat(first.json().getJsonObject("rollout").getString("state")).isEqualTo("baking");

    Answer stale = api.put(ADMIN, "/rules", rules("7/s"), "If-Match", "\"0\"");
    assertThat(stale.status()).isEqualTo(409);
    assertThat(stale.json().getLong("current_version")).isEqualTo(1);
    Answer same = api.put(ADMIN, "/rules", rules("10/s"), "If-Match", "\"1\"");
    assertThat(same.json().getBoolean("published")).isFalse();
    assertThat(api.get(VIEWER, "/rules").json().getJsonObject("files").getString("rules.yaml"))
        .contains("10/s");
  }

  @Test
  void refusesInvalidDocumentsWithFileAndLine() {
    long before = entries();
    JsonObject broken =
        message("oops").put("files", new JsonObject().put("a.yaml", "version: 1\nrules: 5\n"));
    Answer answer = api.put(ADMIN, "/rules", broken, "If-Match", "\"0\"");
    assertThat(answer.status()).isEqualTo(422);
    JsonObject problem = answer.json().getJsonArray("problems").getJsonObject(0);
    assertThat(problem.getString("file")).isEqualTo("a.yaml");
    assertThat(problem.getInteger("line")).isEqualTo(2);
    assertThat(entries()).isEqualTo(before);
    assertThat(server.stores().versions().newest()).isZero();

    Answer plan =
        api.put(ADMIN, "/rules", rules("9/s").put("plan", "impossible"), "If-Match", "\"0\"");
    assertThat(plan.status()).isEqualTo(422);
    assertThat(plan.json().getString("code")).isEqualTo("bad_plan");
    assertThat(plan.json().getJsonObject("whatif").getInteger("keys")).isEqualTo(3);
  }

  @Test
  void aDryRunChangesNothingAndNeedsNoVersion() {
    Answer answer = api.put(ADMIN, "/rules?dry_run=true", rules("10/s"));
    assertThat(answer.json().getBoolean("published")).isFalse();
    assertThat(answer.json().getJsonArray("changes")).hasSize(2);
    assertThat(server.stores().versions().newest()).isZero();
  }

  @Test
  void listsTheHistoryPageByPageAndRollsBack() {
    for (int i = 0; i < 5; i++) {
      api.put(ADMIN, "/rules", rules(10 + i + "/s"), "If-Match", "\"" + i + "\"");
    }
    Answer page = api.get(VIEWER, "/rules/versions?limit=2");
    assertThat(versions(page)).containsExactly(5L, 4L);
    Answer next =
        api.get(VIEWER, "/rules/versions?limit=3&cursor=" + page.json().getString("next"));
    assertThat(versions(next)).containsExactly(3L, 2L, 1L);
    assertThat(next.json().getString("next")).isNull();

    Answer back =
        api.post(ADMIN, "/rules/rollback", message("worse").put("to", 2), "If-Match", "5");
    assertThat(back.json().getLong("version")).isEqualTo(6);
    assertThat(api.get(VIEWER, "/rules/versions/6").json().getString("sha256"))
        .isEqualTo(api.get(VIEWER, "/rules/versions/2").json().getString("sha256"));
    assertThat(api.get(VIEWER, "/rules/versions/77").status()).isEqualTo(404);
    assertThat(
            api.post(ADMIN, "/rules/rollback", message("x").put("to", 99), "If-Match", "6")
                .status())
        .isEqualTo(404);
    assertThat(api.post(ADMIN, "/rules/rollback", message("x")).status()).isEqualTo(428);
  }

  private static List<Long> versions(Answer page) {
    return page.items().stream().map(it -> ((JsonObject) it).getLong("version")).toList();
  }

  @Test
  void actsOnRollouts() {
    api.put(ADMIN, "/rules", rules("10/s"), "If-Match", "0");
    Answer started =
        api.post(
            ADMIN,
            "/rollouts",
            message("again").put("version", 1).put("plan", "careful"),
            "If-Match",
            "1");
    assertThat(started.json().getBoolean("published")).isFalse();
    assertThat(api.get(VIEWER, "/rollouts").items()).hasSize(1);
    assertThat(api.post(ADMIN, "/rollouts/1/hold", message("wait")).json().getString("state"))
        .isEqualTo("paused");
    assertThat(lastEntry().origin().message()).isEqualTo("wait");
    assertThat(api.post(ADMIN, "/rollouts/1/resume", message("go")).status()).isEqualTo(200);
    Answer verdict =
        api.post(OPERATOR, "/rollouts/1/verdict", message("5xx").put("verdict", "bad"));
    assertThat(verdict.json().getString("state")).isEqualTo("rolled_back");
    assertThat(verdict.json().getJsonObject("evidence").getInteger("keys")).isEqualTo(9);
    assertThat(api.post(ADMIN, "/rollouts/1/advance", message("no")).status()).isEqualTo(409);
    assertThat(api.post(ADMIN, "/rollouts/8/rollback", message("no")).status()).isEqualTo(404);
    assertThat(api.get(VIEWER, "/rollouts/1").json().getString("reason")).isEqualTo("5xx");
    assertThat(api.get(VIEWER, "/rollouts/2").status()).isEqualTo(404);
  }

  @Test
  void showsKeysToOperatorsAndHashesToViewers() {
    JsonObject body =
        message("ticket 4711")
            .put("rule", "payments")
            .put("key", new JsonArray().add("anna, the first"))
            .put("limit", "500/min")
            .put("expires", "2h");
    Answer set = api.put(OPERATOR, "/overrides", body, "X-Request-Id", "call-7");
    assertThat(set.status()).isEqualTo(200);
    Instant expires = Instant.parse(set.json().getString("expires"));
    Instant created = Instant.parse(set.json().getString("created"));
    assertThat(Duration.between(created, expires))
        .isBetween(Duration.ofMinutes(119), Duration.ofHours(2));
    assertThat(lastEntry().origin().correlation()).isEqualTo("call-7");
    assertThat(lastEntry().origin().address()).isEqualTo("127.0.0.1");
    assertThat(lastEntry().origin().actor()).startsWith("configured ");

    JsonObject forOperator = api.get(OPERATOR, "/overrides").items().getJsonObject(0);
    assertThat(forOperator.getJsonArray("key")).containsExactly("anna, the first");
    JsonObject forViewer = api.get(VIEWER, "/overrides").items().getJsonObject(0);
    assertThat(forViewer.getJsonArray("key")).isNull();
    assertThat(forViewer.getString("key_hash")).hasSize(32);
    assertThat(api.get(VIEWER, "/audit").http().body()).doesNotContain("anna");

    Answer ended = api.delete(OPERATOR, "/overrides/1?message=done");
    assertThat(ended.json().getBoolean("live")).isFalse();
    assertThat(api.delete(OPERATOR, "/overrides/1?message=done").status()).isEqualTo(404);
    assertThat(api.get(VIEWER, "/overrides").items()).isEmpty();
    assertThat(api.get(VIEWER, "/overrides?all=true").items()).hasSize(1);
  }

  @Test
  void blocksKeysAndTakesSignals() {
    JsonObject key = message("abuse").put("key", new JsonArray().add("42"));
    Answer block =
        api.put(OPERATOR, "/blocks", key.copy().put("rule", "payments").put("until", "10min"));
    assertThat(block.json().getString("effect")).isEqualTo("refuse");
    Answer signal =
        api.post(
            OPERATOR,
            "/signals",
            key.copy().put("severity", 2).put("ttl", "10min").put("source", "fraud"));
    assertThat(signal.json().getString("effect")).isEqualTo("tenth");
    assertThat(signal.json().getString("rule")).isNull();
    assertThat(api.get(VIEWER, "/blocks").items()).hasSize(2);
    Answer lifted =
        api.send(OPERATOR, "DELETE", "/blocks", key.copy().put("kind", "signal").encode());
    assertThat(lifted.json().getString("kind")).isEqualTo("signal");
    assertThat(
            api.send(OPERATOR, "DELETE", "/blocks", key.copy().put("rule", "payments").encode())
                .status())
        .isEqualTo(200);
    assertThat(api.send(OPERATOR, "DELETE", "/blocks", key.encode()).status()).isEqualTo(404);
  }

  @Test
  void looksAtResetsAndGrantsKeys() {
    Call call = Call.of("GET", "/").with("user", "a b,c");
    for (int i = 0; i < 5; i++) {
      server.engine().check(call);
    }
    JsonObject state = api.get(OPERATOR, "/keys?key=user%3Da%2520b%252Cc").items().getJsonObject(0);
    assertThat(state.getString("rule")).isEqualTo("payments");
    assertThat(state.getJsonArray("key")).containsExactly("a b,c");
    assertThat(state.getLong("remaining")).isLessThan(5);
    assertThat(
            api.get(VIEWER, "/keys?key=user%3Dx&rule=payments")
                .items()
                .getJsonObject(0)
                .getJsonArray("key"))
        .isNull();
    JsonObject key =
        message("mistake").put("rule", "payments").put("key", new JsonArray().add("a b,c"));
    assertThat(api.post(OPERATOR, "/keys/grant", key.copy().put("tokens", 1)).status())
        .isEqualTo(200);
    assertThat(lastEntry().record().action()).isEqualTo("key.granted");
    Answer reset = api.post(OPERATOR, "/keys/reset", key);
    assertThat(reset.items().getJsonObject(0).getLong("remaining")).isEqualTo(5);
    assertThat(lastEntry().origin().message()).isEqualTo("mistake");

    assertThat(api.get(VIEWER, "/keys?key=color%3Dred").status()).isEqualTo(404);
    assertThat(api.get(VIEWER, "/keys?key=user%3Dx&rule=search").field()).isEqualTo("key");
    assertThat(api.get(VIEWER, "/keys?key=user%3Dx&rule=none").status()).isEqualTo(404);
    assertThat(api.get(VIEWER, "/keys?key=red").field()).isEqualTo("key");
    assertThat(api.post(OPERATOR, "/keys/grant", key.copy().put("tokens", 2_000_000)).field())
        .isEqualTo("rule");
  }

  @Test
  void answersFromRecordedTraffic() {
    JsonObject candidate = rules("1/min");
    candidate.remove("message");
    assertThat(api.post(OPERATOR, "/whatif", candidate).json().getBoolean("recorded")).isFalse();
    for (int i = 0; i < 50; i++) {
      server.engine().check(Call.of("GET", "/").with("user", "u" + i % 5));
    }
    JsonObject outcome = api.post(OPERATOR, "/whatif", candidate).json();
    assertThat(outcome.getLong("recorded_calls")).isEqualTo(50);
    JsonObject broken = new JsonObject().put("files", new JsonObject().put("a.yaml", "rules: 5"));
    assertThat(api.post(OPERATOR, "/whatif", broken).status()).isEqualTo(422);
    JsonObject ofRule =
        api.post(VIEWER, "/suggest", new JsonObject().put("rule", "payments")).json();
    assertThat(ofRule.getLong("keys")).isEqualTo(5);
    JsonObject ofUser =
        api.post(VIEWER, "/suggest", new JsonObject().put("dimension", "user")).json();
    assertThat(ofUser.getBoolean("recorded")).isTrue();
    assertThat(api.post(VIEWER, "/suggest", new JsonObject().put("rule", "none")).field())
        .isEqualTo("rule");
    assertThat(api.post(VIEWER, "/suggest", new JsonObject()).field()).isEqualTo("rule");
  }

  @Test
  void explainsACallWithHashedKeysForViewers() {
    JsonObject call =
        new JsonObject()
            .put("path", "/pay")
            .put("attributes", new JsonObject().put("user", "anna"));
    JsonObject forOperator = api.post(OPERATOR, "/explain", call).json();
    assertThat(forOperator.getJsonArray("rules").getJsonObject(0).getString("key"))
        .isEqualTo("anna");
    Answer forViewer = api.post(VIEWER, "/explain", call);
    assertThat(forViewer.json().getJsonArray("limits").getJsonObject(0).getString("key"))
        .startsWith("sha256:");
    assertThat(forViewer.http().body()).doesNotContain("anna");
    assertThat(api.post(VIEWER, "/explain", new JsonObject().put("path", "pay")).status())
        .isEqualTo(400);
  }

  @Test
  void setsAndImportsTenants() {
    Answer set =
        api.put(
            ADMIN,
            "/tenants/a%2Fb",
            message("deal").put("tier", "free").put("rate", "250/s").put("burst", 9));
    assertThat(set.json())
        .isEqualTo(
            new JsonObject()
                .put("id", "a/b")
                .put("tier", "free")
                .put("rate", "250/s")
                .put("burst", 9));
    long before = entries();
    String csv = "id,tier,rate\nacme,standard,\n\"a/b\",free,10/s\nbulk,free,5/s\n";
    Answer dry = api.send(ADMIN, "POST", "/tenants/bulk?message=new&dry_run=true", csv);
    assertThat(dry.json().getInteger("added")).isEqualTo(2);
    assertThat(dry.json().getInteger("changed")).isEqualTo(1);
    assertThat(entries()).isEqualTo(before);
    assertThat(
            api.send(ADMIN, "POST", "/tenants/bulk?message=new", csv).json().getBoolean("imported"))
        .isTrue();
    assertThat(entries()).isEqualTo(before + 1);
    assertThat(
            api.send(ADMIN, "POST", "/tenants/bulk?message=again", csv)
                .json()
                .getInteger("unchanged"))
        .isEqualTo(3);
    assertThat(entries()).isEqualTo(before + 1);
    assertThat(api.get(VIEWER, "/tenants/bulk").json().getString("rate")).isEqualTo("5/s");

    Answer page = api.get(VIEWER, "/tenants?limit=2");
    assertThat(page.items().getJsonObject(1).getString("id")).isEqualTo("acme");
    assertThat(api.get(VIEWER, "/tenants?limit=2&cursor=" + page.json().getString("next")).items())
        .hasSize(1);
    assertThat(api.delete(ADMIN, "/tenants/acme?message=left").status()).isEqualTo(200);
    assertThat(api.delete(ADMIN, "/tenants/acme?message=left").status()).isEqualTo(404);
    assertThat(api.get(VIEWER, "/tenants/acme").status()).isEqualTo(404);
  }

  @Test
  void refusesAnImportAsAWhole() {
    long before = entries();
    Answer answer =
        api.send(
            ADMIN, "POST", "/tenants/bulk?message=x", "id,tier,rate\na,free,\nb,free,fast\nc\n");
    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.json().getJsonArray("problems").getJsonObject(0).getInteger("line"))
        .isEqualTo(3);
    assertThat(answer.json().getJsonArray("problems").getJsonObject(1).getInteger("line"))
        .isEqualTo(4);
    assertThat(api.send(ADMIN, "POST", "/tenants/bulk?message=x", "id,color\n").status())
        .isEqualTo(422);
    assertThat(api.send(ADMIN, "POST", "/tenants/bulk?message=x", "a,\"b\n").status())
        .isEqualTo(422);
    assertThat(entries()).isEqualTo(before);
    assertThat(api.get(VIEWER, "/tenants").items()).isEmpty();
  }

  @Test
  void turnsTheKillSwitchOnAndOff() {
    Answer on =
        api.put(ADMIN, "/killswitch", message("incident").put("rule", "payments").put("for", "1h"));
    assertThat(on.json().getString("scope")).isEqualTo("rule/payments");
    assertThat(on.json().getJsonArray("reached")).containsExactly("push");
    api.put(ADMIN, "/killswitch", message("incident"));
    assertThat(api.get(VIEWER, "/killswitch").json().getString("scope")).isEqualTo("all");
    assertThat(api.delete(ADMIN, "/killswitch?message=over").json().getString("scope"))
        .isEqualTo("rule/payments");
    assertThat(api.delete(ADMIN, "/killswitch?rule=payments&message=over").json().getBoolean("on"))
        .isFalse();
    assertThat(
            api.put(ADMIN, "/killswitch", message("x").put("rule", "a").put("tenant", "b")).field())
        .isEqualTo("tenant");
  }

  @Test
  void showsTheLogAndAcceptsIt() {
    api.put(ADMIN, "/tenants/acme", message("deal").put("tier", "free"));
    JsonObject head = api.get(VIEWER, "/audit/head").json();
    Answer log = api.get(VIEWER, "/audit?after=1&limit=1");
    assertThat(log.items().getJsonObject(0).getString("action")).isEqualTo("tenant.set");
    assertThat(log.items().getJsonObject(0).getString("hash")).isEqualTo(head.getString("hash"));
    assertThat(log.json().getString("log")).isEqualTo(head.getString("log"));

    JsonObject accept = message("restored").put("head", head.getString("hash"));
    assertThat(api.post(ADMIN, "/audit/accept", accept.copy().put("local", true)).status())
        .isEqualTo(200);
    assertThat(api.post(ADMIN, "/audit/accept", accept).json().getLong("epoch")).isEqualTo(2);
    assertThat(api.post(ADMIN, "/audit/accept", accept).status()).isEqualTo(409);
    assertThat(api.post(ADMIN, "/audit/accept", accept.copy().put("local", true)).status())
        .isEqualTo(409);
  }

  @Test
  void showsTheStatusAndTheContract() {
    JsonObject status = api.get(VIEWER, "/status").json();
    assertThat(status.getString("control")).isNull();
    assertThat(status.getLong("newest")).isZero();
    Answer contract = api.get(VIEWER, "/openapi.yaml");
    assertThat(contract.http().body()).startsWith("openapi: 3.1.0");
    assertThat(api.get(VIEWER, "/overview").status()).isEqualTo(200);
    assertThat(api.get(VIEWER, "/hot-keys?top=3").status()).isEqualTo(200);
  }
}

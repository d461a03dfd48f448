package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.Key;
import io.weir.engine.Engine;
import io.weir.observe.HotKeySketch;
import io.weir.observe.HotKeySketch.HotKey;
import io.weir.rule.Rule;
import io.weir.server.check.QueryCallReader;
import io.weir.server.config.AdminRole;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.JsonWriter;
import io.weir.server.metrics.HotKeyAdvice;
import io.weir.server.metrics.HotKeyAdvisor;
import io.weir.server.metrics.HotKeyLogger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * {@code GET /admin/v1/hot-keys}: the keys with the most calls on this instance, with suggestions.
 *
 * <p>A key may be personal data, so viewers see only a hash, which identifies the key for as long
 * as this process lives. Operators see the key itself.
 */
public final class HotKeysEndpoint {
  private static final int USUAL = 20;
  private static final int MAX_TOP = 100;
  private static final int SHOWN_BYTES = 8;

  private static final byte[] WATCHED = JsonWriter.name("watched");
  private static final byte[] HOT_FROM = JsonWriter.name("hot_from_per_second");
  private static final byte[] KEYS = JsonWriter.name("keys");
  private static final byte[] RULE = JsonWriter.name("rule");
  private static final byte[] LIMIT = JsonWriter.name("limit");
  private static final byte[] DIMENSIONS = JsonWriter.name("dimensions");
  private static final byte[] KEY_HASH = JsonWriter.name("key_hash");
  private static final byte[] KEY = JsonWriter.name("key");
  private static final byte[] PER_SECOND = JsonWriter.name("per_second");
  private static final byte[] STORE_PER_SECOND = JsonWriter.name("store_per_second");
  private static final byte[] SHARE = JsonWriter.name("share_percent");
  private static final byte[] HOT = JsonWriter.name("hot");
  private static final byte[] LEASED = JsonWriter.name("leased");
  private static final byte[] ACCURACY = JsonWriter.name("accuracy");
  private static final byte[] SHARDS = JsonWriter.name("shards");
  private static final byte[] SUGGESTION = JsonWriter.name("suggestion");
  private static final byte[] CHANGES = JsonWriter.name("changes");
  private static final byte[] WORDS = JsonWriter.name("words");
  private static final byte[] PLACE = JsonWriter.name("place");
  private static final byte[] LINE = JsonWriter.name("line");

  private final Engine engine;
  private final AdminAuth auth;
  private final HotKeyAdvisor advisor;
  private final SecretKeySpec secret;

  public HotKeysEndpoint(Engine engine, AdminAuth auth, HotKeyAdvisor advisor) {
    this.engine = engine;
    this.auth = auth;
    this.advisor = advisor;
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    this.secret = new SecretKeySpec(random, "HmacSHA256");
  }

  public void show(HttpExchange exchange, byte[] body) {
    int most = most(exchange.request());
    boolean named =
        auth.role(exchange.request()).map(role -> role.covers(AdminRole.OPERATOR)).orElse(false);
    Map<String, Rule> rules =
        engine.rules().rules().stream().collect(Collectors.toMap(Rule::id, Function.identity()));
    Optional<HotKeySketch> sketch = engine.nearStore().map(nearStore -> nearStore.hotKeys());
    List<HotKey> top = sketch.map(keys -> keys.top(most)).orElse(List.of());
    JsonWriter out = exchange.json().open();
    out.field(WATCHED).flag(sketch.isPresent());
    out.field(HOT_FROM).number((long) HotKeyLogger.HOT);
    out.field(KEYS).openList();
    top.forEach(key -> write(out, key, Optional.ofNullable(rules.get(key.pool().rule())), named));
    exchange.answerUncached(out.closeList().close());
  }

  private static int most(HttpServerRequest request) {
    String text = QueryCallReader.parameters(request).get("top");
    if (text == null) {
      return USUAL;
    }
    if (text.matches("[0-9]{1,3}")) {
      int number = Integer.parseInt(text);
      if (number >= 1 && number <= MAX_TOP) {
        return number;
      }
    }
    throw HttpProblemException.badField(
        "top", "top must be a whole number between 1 and " + MAX_TOP);
  }

  private void write(JsonWriter out, HotKey hot, Optional<Rule> rule, boolean named) {
    out.open();
    out.field(RULE).text(hot.pool().rule());
    out.field(LIMIT).text(hot.pool().name());
    out.texts(DIMENSIONS, rule.map(Rule::key).orElse(List.of()));
    out.field(KEY_HASH).text(hash(hot.pool().rule(), hot.key()));
    if (named) {
      out.texts(KEY, hot.key().parts());
    } else {
      out.field(KEY).nullValue();
    }
    out.field(PER_SECOND).number(Math.round(hot.perSecond()));
    // Both are estimates; the store cannot have answered more calls than there were.
    double byStore = Math.min(hot.perSecond(), hot.storePerSecond());
    out.field(STORE_PER_SECOND).number(Math.round(byStore));
    out.field(SHARE).number(Math.round(100 * hot.share()));
    out.field(HOT).flag(hot.perSecond() >= HotKeyLogger.HOT);
    out.field(LEASED).flag(hot.pool().leaseCap() > 0);
    out.field(ACCURACY).text(rule.map(found -> found.accuracy().toString()).orElse(null));
    out.field(SHARDS).number(rule.map(Rule::shards).orElse(1));
    Optional<HotKeyAdvice> advice = advisor.on(hot);
    out.field(SUGGESTION).text(advice.map(HotKeyAdvice::sentence).orElse(null));
    out.field(CHANGES).openList();
    advice.ifPresent(found -> found.changes().forEach(change -> write(out, change)));
    out.closeList();
    out.close();
  }

  private static void write(JsonWriter out, HotKeyAdvice.SuggestedChange change) {
    out.open();
    out.field(WORDS).text(change.effect());
    out.field(PLACE).text(change.section().id());
    out.field(LINE).text(change.line());
    out.close();
  }

  private String hash(String rule, Key key) {
    try {
      Mac mac = Mac.getInstance(secret.getAlgorithm());
      mac.init(secret);
      mac.update(rule.getBytes(StandardCharsets.UTF_8));
      mac.update((byte) 0);
      byte[] hash = mac.doFinal(key.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, SHOWN_BYTES);
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every Java platform has HmacSHA256", e);
    }
  }
}

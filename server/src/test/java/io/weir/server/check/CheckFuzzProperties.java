package io.weir.server.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.fixture.TestServer;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Any body gets 200 or a 4xx problem, never an internal error. */
@Tag("fuzz")
class CheckFuzzProperties {
  private static final List<String> PATHS =
      List.of(
          "/v1/check",
          "/v1/check/batch",
          "/v1/reserve",
          "/v1/explain",
          "/v1/settle",
          "/v1/release",
          "/v1/renew",
          "/ratelimit/check");

  private static TestServer server;

  @BeforeContainer
  static void start() {
    server =
        TestServer.with(
            "{ id: bucket, key: [user], limit: 100/s }",
            "{ id: window, key: [ip, user], limit: { algorithm: sliding-window, rate: 7/s }, on_missing: shared }",
            "{ id: quota, key: [], limit: { algorithm: quota, rate: 100/day } }",
            "{ id: slots, key: [tenant], limit: { algorithm: concurrency, permits: 3 } }",
            "{ id: cost, match: { path: /a }, key: [user], limit: 9/s, cost: { attribute: n, max: 5 } }");
  }

  @AfterContainer
  static void stop() {
    assertThat(server.admin("/metrics").body()).contains("weir_internal_errors_total 0.0");
    server.close();
  }

  private static Arbitrary<String> value(int depth) {
    Arbitrary<String> plain =
        Arbitraries.of(
            "1",
            "0",
            "-1",
            "1.5",
            "1e9",
            "9007199254740991",
            "9007199254740992",
            "null",
            "true",
            "\"\"",
            "\"/a\"",
            "\"/a/../b%2f\"",
            "\"GET\"",
            "\"\\ud800\"",
            "\"\\u0000\"",
            "\"42\"",
            "NaN",
            "\"token-bucket\"",
            "\"sliding-log\"",
            "[]",
            "{}",
            "1E-400",
            "00",
            "+1");
    if (depth == 0) {
      return plain;
    }
    Arbitrary<String> inner = Arbitraries.lazy(() -> value(depth - 1));
    return Arbitraries.oneOf(
        plain,
        inner.list().ofMaxSize(3).map(items -> "[" + String.join(",", items) + "]"),
        object(inner));
  }

  private static Arbitrary<String> object(Arbitrary<String> value) {
    Arbitrary<String> name =
        Arbitraries.of(
            "method",
            "path",
            "host",
            "attributes",
            "cost",
            "calls",
            "reservation",
            "key",
            "limit",
            "window_ms",
            "weight",
            "algorithm",
            "burst",
            "user",
            "ip",
            "tenant",
            "n",
            "x",
            "");
    return Combinators.combine(name, value)
        .as((n, v) -> "\"" + n + "\":" + v)
        .list()
        .ofMaxSize(5)
        .map(fields -> "{" + String.join(",", fields) + "}");
  }

  @Provide
  Arbitrary<byte[]> bodies() {
    Arbitrary<byte[]> whole = object(value(2)).map(text -> text.getBytes(StandardCharsets.UTF_8));
    Arbitrary<byte[]> broken =
        Combinators.combine(whole, Arbitraries.integers().between(0, 400), Arbitraries.bytes())
            .as(CheckFuzzProperties::mutate);
    return Arbitraries.frequencyOf(
        net.jqwik.api.Tuple.of(3, whole), net.jqwik.api.Tuple.of(1, broken));
  }

  private static byte[] mutate(byte[] body, int at, byte to) {
    if (at >= body.length) {
      return Arrays.copyOf(body, body.length / 2);
    }
    byte[] changed = body.clone();
    changed[at] = to;
    return changed;
  }

  @Provide
  Arbitrary<String> paths() {
    return Arbitraries.of(PATHS);
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void answersAnything(@ForAll("paths") String path, @ForAll("bodies") byte[] body) {
    HttpResponse<String> response = server.post(path, BodyPublishers.ofByteArray(body));

    assertThat(response.statusCode()).isIn(200, 400, 404);
    JsonObject answer = new JsonObject(response.body());
    if (response.statusCode() != 200) {
      assertThat(response.headers().firstValue("content-type"))
          .hasValue("application/problem+json");
      assertThat(answer.getString("detail")).isNotBlank();
    }
  }
}

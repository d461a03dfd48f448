package io.weir.server.envoy;

import static io.weir.server.fixture.EnvoyTestServer.about;
import static io.weir.server.fixture.EnvoyTestServer.answer;
import static io.weir.server.fixture.EnvoyTestServer.request;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.vertx.grpc.common.GrpcStatus;
import io.weir.rules.envoy.EnvoyOptions;
import io.weir.server.config.EnvoySettings;
import io.weir.server.config.RateLimitHeaderNames;
import io.weir.server.config.ServerConfig;
import io.weir.server.envoy.limit.EnvoyLimiter.Modes;
import io.weir.server.fixture.EnvoyTestServer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The contract with Envoy, over real gRPC, for every store. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EnvoyContract {
  static final String FILE =
      """
      domain: d
      descriptors:
        - { key: day, rate_limit: { unit: day, requests_per_unit: 10, name: ten } }
        - { key: day, value: exempt }
        - { key: one, rate_limit: { unit: week, requests_per_unit: 1 } }
        - { key: free, rate_limit: { unlimited: true } }
        - { key: tried, shadow_mode: true, rate_limit: { unit: year, requests_per_unit: 1 } }
        - { key: q1, quota_mode: true, rate_limit: { unit: month, requests_per_unit: 1 } }
        - { key: q2, quota_mode: true, rate_limit: { unit: month, requests_per_unit: 2 } }
        - { key: instead, rate_limit: { unit: day, requests_per_unit: 3, replaces: [{ name: ten }] } }
        - { key: spare, rate_limit: { unit: day, requests_per_unit: 100 } }
        - { key: blocked, rate_limit: { unit: hour, requests_per_unit: 0 } }
        - { key: huge, rate_limit: { unit: day, requests_per_unit: 4294967295 } }
        - key: path
          value: "/a*"
          share_threshold: true
          descriptors:
            - { key: user, rate_limit: { unit: day, requests_per_unit: 5 } }
      """;

  private EnvoyTestServer server;

  /** The settings with the store under test. */
  abstract ServerConfig withStore(ServerConfig config);

  @BeforeAll
  void start() {
    server = EnvoyTestServer.with(FILE, this::withStore);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private UnaryOperator<ServerConfig> settings(Modes modes, boolean headers) {
    return config ->
        withStore(config)
            .envoy(
                new EnvoySettings(
                    config.envoy().folder(),
                    EnvoyOptions.DEFAULT,
                    modes,
                    0.8,
                    new RateLimitHeaderNames(headers, "X-Limit", "X-Left", "X-Reset")));
  }

  private static RateLimitRequest hits(long hits, String descriptor) {
    RateLimitRequest.Builder request = about("d", descriptor);
    request.getDescriptorsBuilder(0).setHitsAddend(UInt64Value.of(hits));
    return request.build();
  }

  private int left(String descriptor) {
    return server.ask(hits(0, descriptor)).getStatuses(0).getLimitRemaining();
  }

  @Test
  void answersInTheOrderOfTheDescriptors() {
    RateLimitResponse answer =
        server.ask("d", "day=order", "unmatched=1", "free=1", "day=exempt", "path=/ab user=order");

    assertThat(answer.getOverallCode()).isEqualTo(Code.OK);
    assertThat(answer.getStatusesCount()).isEqualTo(5);
    DescriptorStatus day = answer.getStatuses(0);
    assertThat(day.getCode()).isEqualTo(Code.OK);
    assertThat(day.getCurrentLimit())
        .isEqualTo(
            RateLimitResponse.RateLimit.newBuilder()
                .setName("ten")
                .setRequestsPerUnit(10)
                .setUnit(RateLimitResponse.RateLimit.Unit.DAY)
                .build());
    assertThat(day.getLimitRemaining()).isEqualTo(9);
    assertThat(day.getDurationUntilReset().getSeconds()).isBetween(1L, 86_400L);
    assertThat(day.getDurationUntilReset().getNanos()).isZero();
    DescriptorStatus onlyOk = DescriptorStatus.newBuilder().setCode(Code.OK).build();
    assertThat(answer.getStatuses(1)).isEqualTo(onlyOk);
    assertThat(answer.getStatuses(2)).isEqualTo(onlyOk.toBuilder().setLimitRemaining(-1).build());
    assertThat(answer.getStatuses(3)).isEqualTo(onlyOk);
    assertThat(answer.getStatuses(4).getLimitRemaining()).isEqualTo(4);
    assertThat(answer.getResponseHeadersToAddCount()).isZero();
    assertThat(server.ask("d", "path=/ac user=order").getStatuses(0).getLimitRemaining())
        .isEqualTo(3);
  }

  @Test
  void reportsOverLimitWithTheLimitAndItsReset() {
    server.ask("d", "one=over");
    RateLimitResponse over = server.ask("d", "one=over");

    assertThat(over.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    DescriptorStatus status = over.getStatuses(0);
    assertThat(status.getCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(status.getLimitRemaining()).isZero();
    assertThat(status.getCurrentLimit().getUnit()).isEqualTo(RateLimitResponse.RateLimit.Unit.WEEK);
    assertThat(status.getDurationUntilReset().getSeconds()).isBetween(1L, 604_800L);
    assertThat(server.ask("d", "blocked=1").getOverallCode()).isEqualTo(Code.OVER_LIMIT);
  }

  @Test
  void deniedRequestsTakeNothing() {
    server.ask("d", "day=burn", "one=burn");
    for (int i = 0; i < 3; i++) {
      RateLimitResponse refused = server.ask("d", "day=burn", "one=burn");
      assertThat(refused.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(refused.getStatuses(0).getCode()).isEqualTo(Code.OK);
      assertThat(refused.getStatuses(1).getCode()).isEqualTo(Code.OVER_LIMIT);
    }
    assertThat(left("day=burn")).isEqualTo(9);
  }

  @Test
  void reportsTheDescriptorThatIsOverOnEveryRequest() {
    server.ask("d", "one=over1", "spare=1");
    for (int i = 0; i < 3; i++) {
      RateLimitResponse refused = server.ask("d", "one=over2", "spare=1", "one=over1");
      assertThat(refused.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(refused.getStatusesList())
          .extracting(DescriptorStatus::getCode)
          .containsExactly(Code.OK, Code.OK, Code.OVER_LIMIT);
      assertThat(refused.getStatuses(2).getCurrentLimit().getRequestsPerUnit()).isOne();
      assertThat(refused.getStatuses(2).getDurationUntilReset().getSeconds()).isPositive();
    }
    assertThat(left("one=over2")).isOne();
    assertThat(server.http.admin("/metrics").body())
        .contains(
            "weir_envoy_hits_total{rule=\"d.spare\",stat=\"total_hits\"} 4.0",
            "weir_envoy_hits_total{rule=\"d.spare\",stat=\"within_limit\"} 1.0");
  }

  @Test
  void countsHitsOfTheDescriptorElseOfTheRequestAtLeastOne() {
    assertThat(server.ask(about("d", "day=h").setHitsAddend(3).build()).getStatuses(0))
        .extracting(DescriptorStatus::getLimitRemaining)
        .isEqualTo(7);
    RateLimitRequest.Builder both = about("d", "day=h", "day=h2").setHitsAddend(3);
    both.getDescriptorsBuilder(0).setHitsAddend(UInt64Value.of(2));
    RateLimitResponse answer = server.ask(both.build());
    assertThat(answer.getStatuses(0).getLimitRemaining()).isEqualTo(5);
    assertThat(answer.getStatuses(1).getLimitRemaining()).isEqualTo(7);
    assertThat(server.ask("d", "day=h").getStatuses(0).getLimitRemaining()).isEqualTo(4);
    assertThat(left("day=h")).isEqualTo(4);
    assertThat(left("day=h")).isEqualTo(4);
    assertThat(server.ask(hits(5, "day=h")).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(left("day=h")).isEqualTo(4);
  }

  @Test
  void survivesHitsOfAnySize() {
    assertThat(server.ask(about("d", "day=big").setHitsAddend(-1).build()).getOverallCode())
        .isEqualTo(Code.OVER_LIMIT);
    assertThat(server.ask(hits(-1, "day=big")).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    RateLimitRequest twice =
        about("d", "day=big", "day=big").setHitsAddend(Integer.MAX_VALUE).build();
    assertThat(server.ask(twice).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(left("day=big")).isEqualTo(10);
    assertThat(server.ask(hits(0xFFFF_FFFFL, "huge=1")).getOverallCode()).isEqualTo(Code.OK);
    assertThat(server.ask("d", "huge=1").getOverallCode()).isEqualTo(Code.OVER_LIMIT);
  }

  @Test
  void shadowLimitsAreNeverOver() {
    server.ask("d", "tried=1");
    RateLimitResponse second = server.ask("d", "tried=1");
    assertThat(second.getOverallCode()).isEqualTo(Code.OK);
    assertThat(second.getStatuses(0).getCode()).isEqualTo(Code.OK);
    assertThat(second.getStatuses(0).getCurrentLimit().getRequestsPerUnit()).isEqualTo(1);
  }

  @Test
  void quotaLimitsRefuseOnlyTogether() {
    String[] all = {"day=quota", "q1=1", "q2=1"};
    server.ask("d", all);
    RateLimitResponse second = server.ask("d", all);
    assertThat(second.getOverallCode()).isEqualTo(Code.OK);
    assertThat(second.getStatuses(1).getCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(server.ask("d", all).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(left("day=quota")).isEqualTo(8);
  }

  @Test
  void skipsReplacedLimits() {
    RateLimitResponse answer = server.ask("d", "day=replaced", "instead=1");
    assertThat(answer.getStatuses(0))
        .isEqualTo(DescriptorStatus.newBuilder().setCode(Code.OK).build());
    assertThat(answer.getStatuses(1).getLimitRemaining()).isEqualTo(2);
    assertThat(left("day=replaced")).isEqualTo(10);
  }

  @Test
  void allowsUnknownDomains() {
    assertThat(server.ask("nobody", "day=1", "x=2"))
        .isEqualTo(
            answer("{\"overallCode\":\"OK\",\"statuses\":[{\"code\":\"OK\"},{\"code\":\"OK\"}]}"));
  }

  @Test
  void usesTheLimitInADescriptor() {
    RateLimitRequest own =
        request(
            """
            {"domain": "d", "descriptors": [{
              "entries": [{"key": "day", "value": "exempt"}],
              "limit": {"requestsPerUnit": 1, "unit": 7}}]}
            """);
    RateLimitResponse first = server.ask(own);
    assertThat(first.getStatuses(0).getCurrentLimit())
        .isEqualTo(
            RateLimitResponse.RateLimit.newBuilder()
                .setRequestsPerUnit(1)
                .setUnit(RateLimitResponse.RateLimit.Unit.WEEK)
                .build());
    assertThat(server.ask(own).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(server.ask(own.toBuilder().setDomain("nobody").build()).getOverallCode())
        .isEqualTo(Code.OK);
    for (int unit : new int[] {0, 8, 99, -1}) {
      RateLimitRequest.Builder unknown = own.toBuilder();
      unknown.getDescriptorsBuilder(0).getLimitBuilder().setUnitValue(unit);
      assertThat(server.refusal(unknown.build())).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    }
  }

  @Test
  void rejectsInvalidRequests() {
    assertThat(server.refusal(about("", "day=1").build())).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    assertThat(server.refusal(about("d").build())).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    assertThat(server.refusal(RateLimitRequest.getDefaultInstance()))
        .isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    RateLimitRequest.Builder many = about("d");
    for (int i = 0; i < 10_000; i++) {
      many.addDescriptorsBuilder().addEntriesBuilder().setKey("day").setValue("many" + i);
    }
    assertThat(server.refusal(many.build())).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    RateLimitRequest.Builder deep = about("d", "day=1");
    for (int i = 0; i < 100; i++) {
      deep.getDescriptorsBuilder(0).addEntriesBuilder().setKey("x");
    }
    assertThat(server.refusal(deep.build())).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    RateLimitRequest.Builder empty = about("d");
    empty.addDescriptorsBuilder();
    assertThat(server.ask(empty.build()).getStatuses(0))
        .isEqualTo(DescriptorStatus.newBuilder().setCode(Code.OK).build());
  }

  @Test
  void matchesWeirsOwnRulesInItsOwnDomain() {
    RateLimitResponse first = server.ask("weir", "user=7", "method=POST path=/pay tenant=t");
    assertThat(first.getOverallCode()).isEqualTo(Code.OK);
    assertThat(first.getStatuses(0).getCurrentLimit().getName()).isEqualTo("per-user");
    assertThat(first.getStatuses(0).getCurrentLimit().getRequestsPerUnit()).isEqualTo(2);
    assertThat(first.getStatuses(0).getCurrentLimit().getUnit())
        .isEqualTo(RateLimitResponse.RateLimit.Unit.HOUR);
    assertThat(first.getStatuses(0).getLimitRemaining()).isEqualTo(1);
    RateLimitResponse second = server.ask("weir", "user=7", "method=POST path=/pay tenant=t");
    assertThat(second.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(second.getStatuses(0).getCode()).isEqualTo(Code.OK);
    assertThat(second.getStatuses(0).getLimitRemaining()).isEqualTo(1);
    assertThat(second.getStatuses(1).getDurationUntilReset().getSeconds()).isBetween(1L, 60L);
    assertThat(server.ask("weir", "anything=1").getStatuses(0))
        .isEqualTo(DescriptorStatus.newBuilder().setCode(Code.OK).build());
    String call = "{\"path\":\"/\",\"attributes\":{\"user\":\"7\"}}";
    assertThat(server.http.check(call).getLong("remaining")).isZero();
    RateLimitRequest.Builder own = about("weir", "user=7");
    own.getDescriptorsBuilder(0).getLimitBuilder().setRequestsPerUnit(1).setUnitValue(1);
    assertThat(server.refusal(own.build())).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    assertThat(server.refusal(hitsOnOwnRules(-1))).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
  }

  @Test
  void ownDomainTakesMethodsInAnyCaseAndRejectsPathsWithoutASlash() {
    server.ask("weir", "method=post path=/pay tenant=any-case");
    assertThat(server.ask("weir", "method=Post path=/pay tenant=any-case").getOverallCode())
        .isEqualTo(Code.OVER_LIMIT);
    assertThat(server.refusal(about("weir", "method=POST path=pay tenant=t").build()))
        .isEqualTo(GrpcStatus.INVALID_ARGUMENT);
    assertThat(server.ask("weir", "method=OPTIONS path=*").getOverallCode()).isEqualTo(Code.OK);
  }

  private static RateLimitRequest hitsOnOwnRules(long hits) {
    RateLimitRequest.Builder request = about("weir", "user=7");
    request.getDescriptorsBuilder(0).setHitsAddend(UInt64Value.of(hits));
    return request.build();
  }

  @Test
  void addsHeadersIfConfigured() {
    try (EnvoyTestServer telling = EnvoyTestServer.with(FILE, settings(Modes.PLAIN, true))) {
      RateLimitResponse both = telling.ask("d", "day=1", "one=1", "unmatched=1");
      assertThat(both.getResponseHeadersToAddList())
          .extracting(HeaderValue::getKey)
          .containsExactly("X-Limit", "X-Left", "X-Reset");
      assertThat(both.getResponseHeadersToAddList())
          .extracting(HeaderValue::getValue)
          .startsWith("1", "0");
      telling.ask("d", "day=1");
      RateLimitResponse over = telling.ask("d", "one=1", "day=1");
      assertThat(over.getResponseHeadersToAdd(0).getValue()).isEqualTo("1");
      assertThat(Long.parseLong(over.getResponseHeadersToAdd(2).getValue())).isPositive();
      assertThat(telling.ask("d", "unmatched=1").getResponseHeadersToAddCount()).isZero();
      assertThat(telling.ask("weir", "user=1").getResponseHeadersToAdd(1).getValue())
          .isEqualTo("1");
    }
  }

  @Test
  void globalModesApplyToAllLimits() {
    try (EnvoyTestServer shadow =
        EnvoyTestServer.with(FILE, settings(new Modes(true, false), false))) {
      shadow.ask("d", "one=1");
      RateLimitResponse over = shadow.ask("d", "one=1");
      assertThat(over.getOverallCode()).isEqualTo(Code.OK);
      assertThat(over.getStatuses(0).getCode()).isEqualTo(Code.OVER_LIMIT);
    }
    try (EnvoyTestServer quota =
        EnvoyTestServer.with(FILE, settings(new Modes(false, true), false))) {
      quota.ask("d", "one=1");
      assertThat(quota.ask("d", "one=1").getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(quota.ask("d", "one=1", "unmatched=1").getOverallCode()).isEqualTo(Code.OK);
    }
  }
}

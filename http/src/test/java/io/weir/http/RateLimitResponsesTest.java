package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFail;
import io.weir.Quota;
import io.weir.Weir;
import io.weir.rule.Cost;
import io.weir.rule.HeaderVisibility;
import io.weir.rule.Match;
import io.weir.rule.OnLimit;
import io.weir.rule.OnMissing;
import io.weir.rule.Rule;
import io.weir.rule.RuleOptions;
import io.weir.rule.RuleSet;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.greenbytes.http.sfv.IntegerItem;
import org.greenbytes.http.sfv.Item;
import org.greenbytes.http.sfv.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimitResponsesTest {
  private static final Call CALL = Call.of("POST", "/payments").with("user", "u-wxyz");
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final VirtualTime time = new VirtualTime();
  private double chance = 1;
  private final RateLimitResponses answers =
      new RateLimitResponses(HeaderDialect.ALL, time, () -> chance);

  /** The response to a call after a number of others like it. */
  private ReceivedResponse after(int calls, Call call, Rule rule) {
    RuleSet rules = RuleSet.of(rule);
    try (Weir weir = Weir.builder().rules(rules).time(time).build()) {
      for (int i = 0; i < calls; i++) {
        weir.check(call);
      }
      return responseTo(weir.check(call), call, rules);
    }
  }

  private ReceivedResponse responseTo(Decision decision, Call call, RuleSet rules) {
    if (decision.allowed()) {
      return new ReceivedResponse(200, map(answers.admitted(decision)), "");
    }
    Refusal refusal = answers.refused(call, decision, rules);
    return new ReceivedResponse(refusal.status(), map(refusal.headers()), refusal.body());
  }

  private record ReceivedResponse(int status, Map<String, String> headers, String body) {}

  private static Map<String, String> map(List<HeaderLine> lines) {
    return lines.stream().collect(Collectors.toMap(HeaderLine::name, HeaderLine::value));
  }

  private static Rule.Builder payments() {
    return Rule.named("payments").key("user");
  }

  private static Rule fivePerSecond() {
    return payments().limit(Limit.slidingWindow(5, SECOND)).build();
  }

  private static long parameter(String field, String name) {
    Item<?> item = Parser.parseItem(field);
    return ((IntegerItem) item.getParams().get(name)).getAsLong();
  }

  @Test
  void doesNotDescribeHiddenLimits() {
    Rule secret =
        payments()
            .limit(Limit.slidingWindow(5, SECOND))
            .options(RuleOptions.DEFAULT.headers(HeaderVisibility.HIDDEN))
            .build();

    assertThat(after(0, CALL, secret).headers).isEmpty();
    ReceivedResponse refused = after(5, CALL, secret);
    assertThat(refused.status).isEqualTo(429);
    assertThat(refused.headers).containsOnlyKeys("Content-Type", "Cache-Control", "Retry-After");
    assertThat(refused.body)
        .doesNotContain("payments", "user", "kind")
        .contains("\"violated-policies\":[]");
  }

  @Test
  void describesTheVisibleLimitIfAHiddenOneRefusesToo() {
    RuleSet rules =
        RuleSet.of(
            payments().limit(Limit.slidingWindow(1, SECOND)).build(),
            Rule.named("secret")
                .key("user")
                .limit(Limit.perHour(1))
                .options(RuleOptions.DEFAULT.headers(HeaderVisibility.HIDDEN))
                .build());
    try (Weir weir = Weir.builder().rules(rules).time(time).build()) {
      weir.check(CALL);
      ReceivedResponse refused = responseTo(weir.check(CALL), CALL, rules);

      assertThat(refused.headers.get("RateLimit-Policy")).startsWith("\"payments\"");
      // The wait is that of both.
      assertThat(refused.headers).containsEntry("Retry-After", "3600");
      assertThat(refused.body).doesNotContain("secret").contains("\"rule\":\"payments\"");
    }
  }

  @Test
  void marksCallsOverALimit() {
    Rule soft =
        payments()
            .limit(Limit.perHour(1))
            .options(RuleOptions.DEFAULT.onLimit(OnLimit.MARK))
            .build();
    try (Weir weir = Weir.builder().rules(RuleSet.of(soft)).time(time).build()) {
      assertThat(RateLimitResponses.over(weir.check(CALL))).isEmpty();
      assertThat(RateLimitResponses.over(weir.check(CALL)))
          .contains(new HeaderLine("X-Weir-Over", "payments"));
      assertThat(answers.admitted(weir.check(CALL))).isEmpty();
    }
  }

  @Test
  void describesARefusalInEveryDialect() {
    ReceivedResponse response = after(5, CALL, fivePerSecond());

    assertThat(response.status).isEqualTo(429);
    assertThat(response.headers)
        .containsEntry("Content-Type", "application/problem+json")
        .containsEntry("Cache-Control", "no-store")
        .containsEntry("RateLimit-Policy", "\"payments\";q=5;w=1")
        .containsEntry("RateLimit-Limit", "5")
        .containsEntry("RateLimit-Remaining", "0")
        .containsEntry("X-RateLimit-Limit", "5")
        .containsEntry("X-RateLimit-Remaining", "0");
    String retryAfter = response.headers.get("Retry-After");
    assertThat(Long.parseLong(retryAfter)).isBetween(1L, 2L);
    assertThat(response.headers)
        .containsEntry("RateLimit", "\"payments\";r=0;t=" + retryAfter)
        .containsEntry("RateLimit-Reset", retryAfter)
        .containsEntry(
            "X-RateLimit-Reset",
            Long.toString(time.wallMicros() / 1_000_000 + Long.parseLong(retryAfter)));
  }

  @Test
  void resetOfAnAdmissionIsTheTimeUntilFullyRestored() {
    ReceivedResponse response = after(0, CALL, payments().limit(Limit.perMinute(10)).build());

    assertThat(response.status).isEqualTo(200);
    assertThat(response.headers)
        .doesNotContainKeys("Retry-After", "Cache-Control", "Content-Type")
        .containsEntry("RateLimit-Policy", "\"payments\";q=10;w=60")
        .containsEntry("RateLimit", "\"payments\";r=9;t=6")
        .containsEntry("RateLimit-Limit", "10")
        .containsEntry("RateLimit-Remaining", "9")
        .containsEntry("RateLimit-Reset", "6")
        .containsEntry("X-RateLimit-Reset", Long.toString(time.wallMicros() / 1_000_000 + 6));
  }

  @Test
  void writesStructuredFields() {
    ReceivedResponse response = after(2, CALL, payments().limit(Limit.perMinute(2)).build());
    String policy = response.headers.get("RateLimit-Policy");
    String state = response.headers.get("RateLimit");

    assertThat(Parser.parseItem(policy).get()).isEqualTo("payments");
    assertThat(Parser.parseItem(policy).getParams().keySet()).containsExactly("q", "w");
    assertThat(parameter(policy, "q")).isEqualTo(2);
    assertThat(parameter(policy, "w")).isEqualTo(60);
    assertThat(Parser.parseItem(state).get()).isEqualTo("payments");
    assertThat(parameter(state, "r")).isZero();
    assertThat(parameter(state, "t")).isEqualTo(30);
  }

  @Test
  void keepsNumbersWithinWhatAFieldCanHold() {
    ReceivedResponse response =
        after(0, CALL, payments().limit(Limit.quota(1L << 52, Quota.Period.DAY)).build());

    assertThat(parameter(response.headers.get("RateLimit-Policy"), "q"))
        .isEqualTo(999_999_999_999_999L);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"plain   | plain", "a\"b\\c | a\"b\\c", "tab\there | tab_here", "nähe    | n_he"})
  void keepsOddNamesInsideTheirQuotes(String name, String read) {
    HeaderTemplate template = HeaderTemplate.parse("\"{policy}\";q={limit}");
    String field = template.fill(new io.weir.http.HeaderValues(name, 5, -1, 0, -1, -1));

    assertThat(Parser.parseItem(field).get()).isEqualTo(read);
  }

  @Test
  void omitsAWindowShorterThanASecond() {
    Rule quick = payments().limit(Limit.of(5, Duration.ofMillis(100))).build();
    Rule atOnce = payments().limit(Limit.concurrency(5)).build();

    assertThat(after(0, CALL, quick).headers).containsEntry("RateLimit-Policy", "\"payments\";q=5");
    assertThat(after(0, CALL, atOnce).headers)
        .containsEntry("RateLimit-Policy", "\"payments\";q=5");
  }

  @Test
  void roundsTheWindowUp() {
    Rule odd = payments().limit(Limit.of(5, Duration.ofMillis(1500))).build();

    assertThat(after(0, CALL, odd).headers)
        .containsEntry("RateLimit-Policy", "\"payments\";q=5;w=2");
  }

  @Test
  void sendsNoHeadersIfNoLimitApplied() {
    Rule otherPath = payments().match(Match.path("/x")).limit(Limit.perSecond(1)).build();

    assertThat(after(0, CALL, otherPath).headers).isEmpty();
    assertThat(new RateLimitResponses(List.of()).admitted(decisionOf(fivePerSecond()))).isEmpty();
  }

  private Decision decisionOf(Rule rule) {
    try (Weir weir = Weir.builder().rules(RuleSet.of(rule)).time(time).build()) {
      return weir.check(CALL);
    }
  }

  @Test
  void writesTheProblemBody() throws Exception {
    Rule rule =
        payments().limit(Limit.slidingWindow(5, SECOND).named("burst"), Limit.perHour(5)).build();
    ReceivedResponse response = after(5, CALL, rule);
    Map<String, Object> body = FlatJsonReader.read(response.body);

    assertThat(body)
        .containsEntry("type", "https://iana.org/assignments/http-problem-types#quota-exceeded")
        .containsEntry("status", 429L)
        .containsEntry("code", "RATE_LIMIT")
        .containsEntry("rule", "payments")
        .containsEntry("limit_dim", List.of("user"))
        .containsEntry("kind", "rate")
        .containsEntry("retry_after_s", Long.parseLong(response.headers.get("Retry-After")))
        .containsEntry("violated-policies", List.of("burst", "payments.2"))
        .containsKeys("title", "detail");
    assertThat(response.body).doesNotContain("u-wxyz");
  }

  @ParameterizedTest
  @CsvSource({"quota 1/day, quota", "concurrency 0, concurrency", "1/h, rate"})
  void namesTheKindOfLimit(String limit, String kind) throws Exception {
    ReceivedResponse response = after(1, CALL, payments().limit(Limit.parse(limit)).build());

    assertThat(response.status).isEqualTo(429);
    assertThat(FlatJsonReader.read(response.body)).containsEntry("kind", kind);
  }

  @Test
  void hasNoRetryAfterWhereWaitingCannotHelp() throws Exception {
    Rule zero = payments().limit(Limit.perSecond(0)).build();
    Rule small = payments().limit(Limit.perSecond(5)).build();

    for (ReceivedResponse response : List.of(after(0, CALL, zero), after(0, CALL.cost(6), small))) {
      assertThat(response.status).isEqualTo(429);
      assertThat(response.headers)
          .doesNotContainKeys("Retry-After", "RateLimit-Reset", "X-RateLimit-Reset");
      assertThat(response.headers.get("RateLimit")).doesNotContain(";t=");
      assertThat(FlatJsonReader.read(response.body)).containsEntry("retry_after_s", null);
    }
  }

  @Test
  void retryAfterIsOneSecondForPermits() {
    Rule rule = payments().limit(Limit.concurrency(2)).build();
    RuleSet rules = RuleSet.of(rule);
    try (Weir weir = Weir.builder().rules(rules).time(time).build()) {
      weir.reserveAsync(CALL.cost(2)).toCompletableFuture().join();
      Decision full = weir.reserveAsync(CALL).toCompletableFuture().join();
      Decision never = weir.reserveAsync(CALL.cost(3)).toCompletableFuture().join();

      assertThat(responseTo(full, CALL, rules).headers)
          .containsEntry("Retry-After", "1")
          .containsEntry("RateLimit", "\"payments\";r=0;t=1");
      assertThat(responseTo(never, CALL.cost(3), rules).headers).doesNotContainKey("Retry-After");
    }
  }

  @Test
  void roundsRetryAfterUpToASecondAtLeast() {
    Rule rule = payments().limit(Limit.perSecond(100).burst(1)).build();

    assertThat(after(1, CALL, rule).headers).containsEntry("Retry-After", "1");
    time.advance(Duration.ofMillis(500));
    Rule slow = payments().limit(Limit.of(1, Duration.ofMillis(1001))).build();
    assertThat(after(1, CALL, slow).headers).containsEntry("Retry-After", "2");
  }

  @Test
  void spreadsRetryAfterForSharedKeys() {
    Rule shared = Rule.named("all").limit(Limit.perMinute(1)).build();
    Rule byTenant = Rule.named("all").key("tenant").limit(Limit.perMinute(1)).build();
    Rule alone = Rule.named("all").key("tenant", "user").limit(Limit.perMinute(1)).build();
    Call call = CALL.with("tenant", "acme");

    assertThat(after(1, call, shared).headers)
        .containsEntry("Retry-After", "66")
        .containsEntry("RateLimit-Reset", "66");
    assertThat(after(1, call, byTenant).headers).containsEntry("Retry-After", "66");
    assertThat(after(1, call, alone).headers).containsEntry("Retry-After", "60");
    chance = 0;
    assertThat(after(1, call, shared).headers).containsEntry("Retry-After", "60");
    chance = 0.5;
    assertThat(after(1, call, shared).headers).containsEntry("Retry-After", "63");
  }

  @Test
  void spreadsRetryAfterForCallsWithoutTheKeyAttribute() {
    Call anonymous = Call.of("GET", "/");
    Rule together = payments().onMissing(OnMissing.SHARED).limit(Limit.perMinute(1)).build();
    Rule byAddress = payments().limit(Limit.perMinute(1)).build();

    assertThat(after(1, anonymous, together).headers).containsEntry("Retry-After", "66");
    assertThat(after(1, anonymous.with("ip", "1.2.3.4"), byAddress).headers)
        .containsEntry("Retry-After", "60");
  }

  @Test
  void hasNoRetryAfterForABlockedCall() throws Exception {
    Rule named = payments().onMissing(OnMissing.DENY).limit(Limit.perSecond(1)).build();
    ReceivedResponse response = after(0, Call.of("GET", "/"), named);

    assertThat(response.status).isEqualTo(429);
    assertThat(response.headers).containsOnlyKeys("Content-Type", "Cache-Control");
    assertThat(FlatJsonReader.read(response.body))
        .containsEntry("code", "BLOCKED")
        .containsEntry("rule", "payments")
        .containsEntry("limit_dim", List.of("user"));
  }

  @Test
  void retryAfterOfABlockedKeyIsTheEndOfTheBlock() throws Exception {
    Rule rule = payments().limit(Limit.perSecond(1)).build();
    Decision blocked = Decision.blocked("payments", Duration.ofMillis(89_001));
    ReceivedResponse response = responseTo(blocked, CALL, RuleSet.of(rule));

    assertThat(response.status).isEqualTo(429);
    assertThat(response.headers).containsEntry("Retry-After", "90");
    assertThat(FlatJsonReader.read(response.body))
        .containsEntry("code", "BLOCKED")
        .containsEntry("detail", "this caller is blocked; try again in 90 s");
  }

  @Test
  void answers503IfTheStoreOfAClosedRuleIsUnavailable() throws Exception {
    Rule closed = payments().onFail(OnFail.CLOSED).limit(Limit.perSecond(5)).build();
    RuleSet rules = RuleSet.of(closed);
    try (Weir weir = Weir.builder().rules(rules).store(new UnreachableStore()).time(time).build()) {
      ReceivedResponse response = responseTo(weir.check(CALL), CALL, rules);

      assertThat(response.status).isEqualTo(503);
      assertThat(response.headers)
          .containsOnlyKeys("Content-Type", "Cache-Control", "Retry-After")
          .containsEntry("Retry-After", "1");
      assertThat(FlatJsonReader.read(response.body))
          .containsEntry(
              "type", "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity")
          .containsEntry("status", 503L)
          .containsEntry("code", "UNAVAILABLE")
          .containsEntry("rule", "payments")
          .doesNotContainKey("violated-policies");
    }
  }

  @Test
  void usesTheCostOfTheRule() {
    Rule dear = payments().cost(new Cost.Fixed(3)).limit(Limit.concurrency(2)).build();
    RuleSet rules = RuleSet.of(dear);
    try (Weir weir = Weir.builder().rules(rules).time(time).build()) {
      Decision never = weir.reserveAsync(CALL).toCompletableFuture().join();

      assertThat(responseTo(never, CALL, rules).headers).doesNotContainKey("Retry-After");
    }
  }

  @Test
  void knowsItsDialectsByName() {
    assertThat(HeaderDialect.ALL)
        .extracting(HeaderDialect::id)
        .containsExactly("ietf", "draft-06", "x-ratelimit");
    assertThat(HeaderDialect.named("ietf").headers())
        .containsExactly("RateLimit-Policy", "RateLimit");
    assertThatThrownBy(() -> HeaderDialect.named("morse"))
        .hasMessage("'morse' is none of the header dialects ietf, draft-06, x-ratelimit");
    assertThat(HeaderDialect.named("ietf")).hasToString("ietf");
    assertThat(new HeaderLine("A", "b")).hasToString("A: b");
  }

  @Test
  void usesOnlyTheConfiguredDialects() {
    RateLimitResponses one =
        new RateLimitResponses(List.of(HeaderDialect.named("draft-06")), time, () -> 0);

    assertThat(one.admitted(decisionOf(fivePerSecond())))
        .extracting(HeaderLine::name)
        .containsExactly("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset");
  }
}

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
import io.weir.rule.Match;
import io.weir.rule.OnMissing;
import io.weir.rule.Rule;
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

  /** What comes of a call after a number of others like it. */
  private ReceivedResponse after(int calls, Call call, Rule rule) {
    RuleSet rules = RuleSet.of(rule);
    try (Weir weir = Weir.builder().rules(rules).time(time).build()) {
      for (int i = 0; i < calls; i++) {
        weir.check(call);
      }
      return told(weir.check(call), call, rules);
    }
  }

  private ReceivedResponse told(Decision decision, Call call, RuleSet rules) {
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
  void tellsARefusalInEveryDialect() {
    ReceivedResponse told = after(5, CALL, fivePerSecond());

    assertThat(told.status).isEqualTo(429);
    assertThat(told.headers)
        .containsEntry("Content-Type", "application/problem+json")
        .containsEntry("Cache-Control", "no-store")
        .containsEntry("RateLimit-Policy", "\"payments\";q=5;w=1")
        .containsEntry("RateLimit-Limit", "5")
        .containsEntry("RateLimit-Remaining", "0")
        .containsEntry("X-RateLimit-Limit", "5")
        .containsEntry("X-RateLimit-Remaining", "0");
    String retryAfter = told.headers.get("Retry-After");
    assertThat(Long.parseLong(retryAfter)).isBetween(1L, 2L);
    assertThat(told.headers)
        .containsEntry("RateLimit", "\"payments\";r=0;t=" + retryAfter)
        .containsEntry("RateLimit-Reset", retryAfter)
        .containsEntry(
            "X-RateLimit-Reset",
            Long.toString(time.wallMicros() / 1_000_000 + Long.parseLong(retryAfter)));
  }

  @Test
  void tellsAnAdmissionTheTimeUntilAllIsBack() {
    ReceivedResponse told = after(0, CALL, payments().limit(Limit.perMinute(10)).build());

    assertThat(told.status).isEqualTo(200);
    assertThat(told.headers)
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
    ReceivedResponse told = after(2, CALL, payments().limit(Limit.perMinute(2)).build());
    String policy = told.headers.get("RateLimit-Policy");
    String state = told.headers.get("RateLimit");

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
    ReceivedResponse told =
        after(0, CALL, payments().limit(Limit.quota(1L << 52, Quota.Period.DAY)).build());

    assertThat(parameter(told.headers.get("RateLimit-Policy"), "q"))
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
  void leavesTheWindowOutWhereItIsLessThanASecondOrNone() {
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
  void saysNothingWhereNoLimitWasAsked() {
    Rule elsewhere = payments().match(Match.path("/x")).limit(Limit.perSecond(1)).build();

    assertThat(after(0, CALL, elsewhere).headers).isEmpty();
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
    ReceivedResponse told = after(5, CALL, rule);
    Map<String, Object> body = FlatJsonReader.read(told.body);

    assertThat(body)
        .containsEntry("type", "https://iana.org/assignments/http-problem-types#quota-exceeded")
        .containsEntry("status", 429L)
        .containsEntry("code", "RATE_LIMIT")
        .containsEntry("rule", "payments")
        .containsEntry("limit_dim", List.of("user"))
        .containsEntry("kind", "rate")
        .containsEntry("retry_after_s", Long.parseLong(told.headers.get("Retry-After")))
        .containsEntry("violated-policies", List.of("burst", "payments.2"))
        .containsKeys("title", "detail");
    assertThat(told.body).doesNotContain("u-wxyz");
  }

  @ParameterizedTest
  @CsvSource({"quota 1/day, quota", "concurrency 0, concurrency", "1/h, rate"})
  void namesTheKindOfLimit(String limit, String kind) throws Exception {
    ReceivedResponse told = after(1, CALL, payments().limit(Limit.parse(limit)).build());

    assertThat(told.status).isEqualTo(429);
    assertThat(FlatJsonReader.read(told.body)).containsEntry("kind", kind);
  }

  @Test
  void hasNoRetryAfterWhereWaitingCannotHelp() throws Exception {
    Rule zero = payments().limit(Limit.perSecond(0)).build();
    Rule small = payments().limit(Limit.perSecond(5)).build();

    for (ReceivedResponse told : List.of(after(0, CALL, zero), after(0, CALL.cost(6), small))) {
      assertThat(told.status).isEqualTo(429);
      assertThat(told.headers)
          .doesNotContainKeys("Retry-After", "RateLimit-Reset", "X-RateLimit-Reset");
      assertThat(told.headers.get("RateLimit")).doesNotContain(";t=");
      assertThat(FlatJsonReader.read(told.body)).containsEntry("retry_after_s", null);
    }
  }

  @Test
  void saysASecondForPermits() {
    Rule rule = payments().limit(Limit.concurrency(2)).build();
    RuleSet rules = RuleSet.of(rule);
    try (Weir weir = Weir.builder().rules(rules).time(time).build()) {
      weir.reserveAsync(CALL.cost(2)).toCompletableFuture().join();
      Decision full = weir.reserveAsync(CALL).toCompletableFuture().join();
      Decision never = weir.reserveAsync(CALL.cost(3)).toCompletableFuture().join();

      assertThat(told(full, CALL, rules).headers)
          .containsEntry("Retry-After", "1")
          .containsEntry("RateLimit", "\"payments\";r=0;t=1");
      assertThat(told(never, CALL.cost(3), rules).headers).doesNotContainKey("Retry-After");
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
  void spreadsTheReturnOfThoseWhoShareAKey() {
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
  void spreadsTheReturnOfThoseWhoAreCountedTogetherForLackOfAName() {
    Call nobody = Call.of("GET", "/");
    Rule together = payments().onMissing(OnMissing.SHARED).limit(Limit.perMinute(1)).build();
    Rule byAddress = payments().limit(Limit.perMinute(1)).build();

    assertThat(after(1, nobody, together).headers).containsEntry("Retry-After", "66");
    assertThat(after(1, nobody.with("ip", "1.2.3.4"), byAddress).headers)
        .containsEntry("Retry-After", "60");
  }

  @Test
  void tellsWhoIsBlockedThatWaitingDoesNotHelp() throws Exception {
    Rule named = payments().onMissing(OnMissing.DENY).limit(Limit.perSecond(1)).build();
    ReceivedResponse told = after(0, Call.of("GET", "/"), named);

    assertThat(told.status).isEqualTo(429);
    assertThat(told.headers).containsOnlyKeys("Content-Type", "Cache-Control");
    assertThat(FlatJsonReader.read(told.body))
        .containsEntry("code", "BLOCKED")
        .containsEntry("rule", "payments")
        .containsEntry("limit_dim", List.of("user"));
  }

  @Test
  void answers503WhereTheStoreOfAClosedRuleIsAway() throws Exception {
    Rule closed = payments().onFail(OnFail.CLOSED).limit(Limit.perSecond(5)).build();
    RuleSet rules = RuleSet.of(closed);
    try (Weir weir = Weir.builder().rules(rules).store(new UnreachableStore()).time(time).build()) {
      ReceivedResponse told = told(weir.check(CALL), CALL, rules);

      assertThat(told.status).isEqualTo(503);
      assertThat(told.headers)
          .containsOnlyKeys("Content-Type", "Cache-Control", "Retry-After")
          .containsEntry("Retry-After", "1");
      assertThat(FlatJsonReader.read(told.body))
          .containsEntry(
              "type", "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity")
          .containsEntry("status", 503L)
          .containsEntry("code", "UNAVAILABLE")
          .containsEntry("rule", "payments")
          .doesNotContainKey("violated-policies");
    }
  }

  @Test
  void knowsCostsThatRulesMultiply() {
    Rule dear = payments().cost(new Cost.Fixed(3)).limit(Limit.concurrency(2)).build();
    RuleSet rules = RuleSet.of(dear);
    try (Weir weir = Weir.builder().rules(rules).time(time).build()) {
      Decision never = weir.reserveAsync(CALL).toCompletableFuture().join();

      assertThat(told(never, CALL, rules).headers).doesNotContainKey("Retry-After");
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
  void tellsOnlyInTheDialectsThatWereChosen() {
    RateLimitResponses one =
        new RateLimitResponses(List.of(HeaderDialect.named("draft-06")), time, () -> 0);

    assertThat(one.admitted(decisionOf(fivePerSecond())))
        .extracting(HeaderLine::name)
        .containsExactly("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset");
  }
}

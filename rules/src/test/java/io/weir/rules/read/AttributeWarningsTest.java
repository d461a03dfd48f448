package io.weir.rules.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.RuleSet;
import io.weir.rules.AttributeSource;
import io.weir.rules.LoadResult;
import io.weir.rules.Problem;
import io.weir.rules.RuleDocumentFixtures;
import io.weir.rules.RuleDocuments;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Warnings name attributes that calls most likely do not carry, and no others. */
class AttributeWarningsTest {
  private static final AttributeSource GATEWAY =
      AttributeSource.only("requests to the gateway", Set.of("ip", "api_key"));

  private static List<String> warnings(AttributeSource source, String... rules) {
    StringBuilder text = new StringBuilder("version: 1\ntiers: { free: { rate: 5/s } }\n");
    text.append("tenants: { '*': free }\nrules:\n");
    for (String rule : rules) {
      text.append("  - { ").append(rule).append(" }\n");
    }
    LoadResult<RuleSet> loaded =
        RuleDocuments.parse("r.yaml", text.toString(), RuleDocumentFixtures.NOW, source);
    assertThat(loaded.errors()).isEmpty();
    return loaded.problems().stream()
        .map(Problem::toString)
        .filter(line -> !line.contains("tenants change nothing"))
        .toList();
  }

  private static List<String> warnings(String rule) {
    return warnings(AttributeSource.ANY, rule);
  }

  @ParameterizedTest
  @CsvSource({
    "usr, user",
    "uesr, user",
    "User, user",
    "users, user",
    "client_ip, ip",
    "clientIp, ip",
    "remote_addr, ip",
    "ip_address, ip",
    "IP, ip",
    "apikey, api_key",
    "api-key, api_key",
    "ApiKey, api_key",
    "tenent, tenant",
    "tennant, tenant",
    "metod, method",
    "hots, host",
    "x-api-key, header.x-api-key",
    "X-Plan, header.x-plan",
    "user-agent, header.user-agent",
    "Authorization, header.authorization",
    "Header.X-Plan, header.x-plan",
    "headers.x-plan, header.x-plan",
    "x-forwarded-for, ip",
    "x-real-ip, ip"
  })
  void warnsAboutTyposOfKnownNames(String name, String meant) {
    assertThat(warnings("id: r, key: [ip, %s], limit: 5/s".formatted(name)))
        .containsExactly(
            "r.yaml:5: warning: rule r: key names "
                + name
                + ", which calls have only if a service sends it; did you mean '"
                + meant
                + "'?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ip", "user", "tenant", "api_key", "method", "path", "route", "host", "header.x-plan",
        "user_id", "tenant_id", "account", "plan", "region", "vip", "post", "router", "team",
        "model", "org.id", "plan-level", "domain", "session", "device", "key", "port", "mode",
        "userspace", "username", "hostel", "client", "x", "xray", "ipv4", "zone", "type"
      })
  void acceptsCustomNames(String name) {
    assertThat(warnings("id: r, key: [%s], limit: 5/s".formatted(name))).isEmpty();
  }

  @Test
  void checksMatchesAndCostsToo() {
    assertThat(
            warnings(
                "id: r, key: [ip], limit: 5/s, match: { attributes: { usr: [a] }, absent: [tennant] },"
                    + " except: { attributes: { x-plan: [a] } }, cost: { attribute: x-cost }"))
        .containsExactly(
            "r.yaml:5: warning: rule r: match.attributes names usr, which calls have only if a"
                + " service sends it; did you mean 'user'?",
            "r.yaml:5: warning: rule r: match.absent names tennant, which calls have only if a"
                + " service sends it; did you mean 'tenant'?",
            "r.yaml:5: warning: rule r: except.attributes names x-plan, which calls have only if a"
                + " service sends it; did you mean 'header.x-plan'?",
            "r.yaml:5: warning: rule r: cost.attribute names x-cost, which calls have only if a"
                + " service sends it; did you mean 'header.x-cost'?");
  }

  @Test
  void warnsAboutFieldsUsedAsAttributes() {
    assertThat(warnings("id: r, key: [ip], limit: 5/s, match: { attributes: { method: [POST] } }"))
        .containsExactly(
            "r.yaml:5: warning: rule r: match.attributes names method, which is not an attribute;"
                + " use match.methods");
  }

  @Test
  void warnsOnceAboutAttributesThatRequestsNeverCarry() {
    assertThat(
            warnings(
                GATEWAY,
                "id: a, key: [ip], limit: 5/s",
                "id: b, key: [user], limit: 5/s",
                "id: c, key: [user, api_key, method, path, route, host, header.x], limit: 5/s",
                "id: off, key: [session], limit: 5/s, mode: off",
                "id: d, key: [ip], limit: 6/s, match: { attributes: { plan: x, header.y: z } }",
                "id: e, key: [ip], limit: 7/s, cost: { attribute: units }, match: { path: /e }"))
        .contains(
            "r.yaml:6: warning: rule b: key names user, which requests to the gateway never have,"
                + " as identity gives only api_key and ip: on_missing decides; the same for c",
            "r.yaml:9: warning: rule d: match.attributes names plan, which requests to the gateway"
                + " never have, as identity gives only api_key and ip: never matches",
            "r.yaml:10: warning: rule e: cost.attribute names units, which requests to the gateway"
                + " never have, as identity gives only api_key and ip: the default counts")
        .filteredOn(line -> line.contains("never have"))
        .hasSize(3);
  }

  @Test
  void warnsAboutTierLimitsWithoutATenantAttribute() {
    assertThat(warnings(GATEWAY, "id: t, key: [ip], limit: tier"))
        .anyMatch(line -> line.endsWith("everyone has the plan of \"*\""));
  }

  @Test
  void givesOneWarningForATypo() {
    assertThat(warnings(GATEWAY, "id: r, key: [usr], limit: 5/s"))
        .singleElement()
        .asString()
        .endsWith("did you mean 'user'?");
  }
}

package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each mistake in a rule is refused with a reason, at the line of the wrong field. */
class RuleProblemsTest {
  /**
   * Reasons that depend on other parts of the document, on arithmetic or on the time zones known.
   */
  private static final Pattern BEYOND_A_SCHEMA =
      Pattern.compile(
          "cannot replace itself|which is no rule|unknown time zone|is above max|two limits are named"
              + "|at most ten years|cannot be kept exactly|permit_ttl is at most a day"
              + "|is not between 1s and|needs a number for each|as limit .* is$|is not that of limit");

  /** A valid rule to which each case adds lines from line 4 on. */
  private static List<String> withRule(String lines) {
    return RuleDocumentFixtures.problems(document(lines));
  }

  private static String document(String lines) {
    return "version: 1\nrules:\n  - id: r\n" + indent(lines);
  }

  /** Editors show the same mistakes, as far as a schema can find them. */
  private static void assertThatTheSchemaFinds(String lines, String reason) {
    assertThat(RuleSchema.errors(document(lines)).isEmpty())
        .isEqualTo(BEYOND_A_SCHEMA.matcher(reason).find());
  }

  private static String indent(String lines) {
    return "    " + lines.strip().replace(" / ", "\n    ") + "\n";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '`',
      textBlock =
          """
          key: user                                # key must be a list such as [user], not 'user'
          key: [user, user]                        # key names user twice
          key: ["a b"]                             # key part 'a b' is not a name of letters, digits, '-', '_' and '.', such as user or header.x-plan
          key: [header.]                           # key part 'header.' must name a header, such as header.x-plan
          key: [[ip]]                              # key must be a text such as user, not a list
          key:                                     # key has no value; leave it out or say what it is
          match: /payments                         # match must be a map such as { methods: [POST], path: /payments }, not '/payments'
          match: { paths: /a }                     # unknown field 'paths'; did you mean 'path'?
          match: { path: payments }                # path 'payments' must start with '/'
          match: { path: /a/**/b }                 # path '/a/**/b': '**' can only stand at the end
          match: { path: /a* }                     # path '/a*': 'a*' is neither a text, '{name}', '*' nor '**'
          match: { path: "/a?b=1" }                # path '/a?b=1' must be without '?': only the path itself is matched
          match: { path: /a/../b }                 # path '/a/../b': '..' is not in normal form
          match: { path: [] }                      # path is an empty list; leave it out or name something
          match: { methods: ["po st"] }            # method 'po st' is not such as POST
          match: { methods: [] }                   # methods is an empty list; leave it out or name something
          match: { hosts: [a.*.com] }              # host 'a.*.com': '*.' is only allowed at the front
          match: { hosts: ["a.com:80"] }           # host 'a.com:80' must be without scheme and port
          match: { hosts: [a/b] }                  # host 'a/b' is not such as api.example.com or *.example.com
          match: { attributes: [a] }               # attributes must be a map such as { region: [eu, us] }, not a list
          match: { attributes: {} }                # attributes is an empty map; leave it out or name something
          match: { attributes: { a: "" } }         # attribute a: an empty value counts as absent; use absent
          match: { attributes: { a: [] } }         # a is an empty list; leave it out or name something
          except: { path: x }                      # path 'x' must start with '/'
          cost: -1                                 # cost -1 is negative
          cost: 1.5                                # cost '1.5' is not a whole number below 10^18
          cost: "2"                                # cost must be a whole number such as 5, not the text '2'
          cost: [1]                                # cost must be a whole number, { attribute: NAME } or { response_header: NAME }, not a list
          cost: 9007199254740992                   # cost 9007199254740992 is not between 0 and 9007199254740991
          cost: { default: 2 }                     # cost: name either an attribute or a response_header
          cost: { attribute: a, reserve: 2 }       # cost: reserve goes with response_header
          cost: { response_header: a, max: 2 }     # cost: max goes with attribute
          cost: { attribute: a, default: 5, max: 2 } # cost: default 5 is above max 2
          scope: galaxy                            # scope must be one of cell, instance, global, not 'galaxy'
          replaces: [r]                            # a rule cannot replace itself
          replaces: [other]                        # replaces 'other', which is no rule
          replaces: []                             # replaces is an empty list; leave it out or name something
          mode: on                                 # mode must be one of enforce, shadow, off, not 'on'
          mode: Shadow                             # mode must be one of enforce, shadow, off, not 'Shadow'; did you mean 'shadow'?
          percent: 0                               # percent 0 is not between 1 and 100
          percent: 101                             # percent 101 is not between 1 and 100
          percent: 10%                             # percent '10%' is not a whole number below 10^18
          on_fail: closd                           # on_fail must be one of local, open, closed, not 'closd'; did you mean 'closed'?
          local_factor: -1                         # factor -1 is not between 0 and 1000 with at most four decimals
          local_factor: half                       # 'half' is not a factor such as 0.5
          on_missing: drop                         # on_missing must be one of ip, shared, skip, deny, not 'drop'
          accuracy: 1                              # accuracy is 'exact' or a percentage such as 1%
          accuracy: 60%                            # accuracy is between 0% and 50%
          shards: 0                                # shards 0 is not between 1 and 1024
          shards: many                             # shards 'many' is not a whole number below 10^18
          count_denied: yes                        # count_denied must be true or false, not 'yes'
          on_limit: drop                           # on_limit must be one of refuse, mark, not 'drop'
          mode: mark                               # mode must be one of enforce, shadow, off, not 'mark'
          headers: none                            # headers must be one of shown, hidden, not 'none'
          expires: soon                            # expires must be a date such as 2027-01-01 or a moment such as 2027-01-01T12:00:00Z, not 'soon'
          expires: [2027-01-01]                    # expires must be a text such as 2027-01-01, not a list
          penalty: 20                              # penalty must be a map such as { after: 20, within: 1min, factor: 0.5, for: 10min }, not '20'
          penalty: { after: 20, within: 1min, factor: 0.5 } # penalty: for is missing, such as in { after: 20, within: 1min, factor: 0.5, for: 10min }
          penalty: { after: 0, within: 1min, factor: 0.5, for: 10min } # penalty: after 0 is not between 1 and 1000
          penalty: { after: 1001, within: 1min, factor: 0.5, for: 10min } # penalty: after 1001 is not between 1 and 1000
          penalty: { after: 20, within: 5ms, factor: 0.5, for: 10min } # penalty: within is not between 1s and 1day
          penalty: { after: 20, within: 2day, factor: 0.5, for: 10min } # penalty: within is not between 1s and 1day
          penalty: { after: 20, within: 1min, factor: 1, for: 10min } # penalty: factor 1 is not above 0 and below 1
          penalty: { after: 20, within: 1min, factor: 0, for: 10min } # penalty: factor 0 is not above 0 and below 1
          penalty: { after: 20, within: 1min, factor: 0.5, for: 500ms } # penalty: for is not between 1s and 1week
          penalty: { after: 20, within: 1min, factor: 0.5, for: 8day } # penalty: for is not between 1s and 1week
          penalty: { after: 20, within: soon, factor: 0.5, for: 10min } # penalty: 'soon' is not a time such as 30s; units are ms, s, min, h, day, week
          penalty: { after: 20, within: 1min, factor: 0.5, for: 10min, to: 3 } # unknown field 'to'
          candidate: tier                          # candidate: must be a limit such as 50/s, not 'tier'
          candidate: 5                             # candidate: '5' has no period; write 5/s, 5/min or 5/h
          candidate: [4/s, 6/min]                  # candidate: needs a number for each of the 1 limits in the order of limit, and has 2
          candidate: sliding-window 4/s            # candidate: sliding-window 4/s must be a token-bucket as limit 5/s is
          candidate: 4/s name=other                # candidate: name other is not that of limit 5/s
          candidate: { rate: 4/s, queue: 3 }       # candidate: queue means nothing to token-bucket; leaky-bucket takes it
          candidate: 4/s / mode: shadow            # candidate needs an enforced rule, and mode is shadow
          candidate: 4/s / on_limit: mark          # candidate needs refusals, and on_limit: mark has none
          penalty: { after: 20, within: 1min, factor: 0.5, for: 10min } / on_limit: mark # penalty needs refusals, and on_limit: mark has none
          description: [a]                         # description must be a text such as "Protects the search", not a list
          schedule: [nights]                       # schedule must be a list of maps such as { hours: "09:00-18:00", factor: 0.5 }, not 'nights'
          schedule: [{ hours: "09:00-18:00" }]     # schedule: factor is missing, such as 0.5
          schedule: [{ hours: 9-18, factor: 1 }]   # schedule: hours must be such as "09:00-18:00", not '9-18'
          schedule: [{ hours: "09:00-25:00", factor: 1 }] # schedule: 25:00 is not a time of day
          schedule: [{ hours: "24:00-06:00", factor: 1 }] # schedule: 24:00 is not a time of day to begin at
          schedule: [{ hours: "09:00-09:00", factor: 1 }] # schedule: hours 09:00-09:00 begin and end at the same time; a whole day is 00:00-24:00
          schedule: [{ days: [someday], factor: 1 }] # schedule: days are mon, tue, wed, thu, fri, sat and sun, not 'someday'
          schedule: [{ zone: Mars/Base, factor: 1 }] # schedule: unknown time zone 'Mars/Base'; use a name such as Europe/Berlin
          schedule: [{ factor: 1001 }]             # schedule: factor 1001 is not between 0 and 1000 with at most four decimals
          brust: 3                                 # unknown field 'brust'
          onfail: open                             # unknown field 'onfail'; did you mean 'on_fail'?
          on-missing: skip                         # unknown field 'on-missing'; did you mean 'on_missing'?
          """)
  void refusesARuleField(String line, String reason) {
    String rest = "limit: 5/s" + (line.startsWith("key") ? "" : " / key: [user]");
    assertThat(withRule(line + " / " + rest)).containsExactly("r.yaml:4: rule r: " + reason);
    assertThatTheSchemaFinds(line + " / " + rest, reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '`',
      textBlock =
          """
          tiers                            # limit must be such as 100/min, a map, a list, 'tier' or 'unlimited', not 'tiers'; did you mean 'tier'?
          5                                # '5' has no period; write 5/s, 5/min or 5/h
          5/fortnight                      # 'fortnight' is not a time such as 30s; units are ms, s, min, h, day, week
          5/month                          # 'month' has no fixed length; it is for quotas only
          5/0s                             # period must be longer than 0
          -5/s                             # rate -5 is negative
          1000000000000000000/s            # rate '1000000000000000000' is not a whole number below 10^18
          5/9999999week                    # period is at most ten years
          []                               # limit is an empty list; leave it out or name something
          [5/s, tier]                      # limit 2: 'tier' can only stand alone, not in a list
          [5/s, unlimited]                 # limit 2: 'unlimited' can only stand alone, not in a list
          [5/s, { rate: 5 }]               # limit 2: '5' has no period; write 5/s, 5/min or 5/h
          [[5/s]]                          # limit must be 100/min, or a map of rate and others, not a list
          [5/s name=a, 6/s name=a]         # two limits are named a
          { burst: 5 }                     # a token-bucket limit needs rate, such as 100/min
          { algorithm: concurrency }       # a concurrency limit needs permits, such as 50
          { rate: 5/s, brust: 7 }          # unknown field 'brust'; did you mean 'burst'?
          { rate: 5/s, burst: -1 }         # burst -1 is negative
          { rate: 5/s, burst: 0 }          # burst 0 would refuse every call: it is at least 1, or the rate is 0
          { rate: 5/s, burst: lots }       # burst 'lots' is not a whole number below 10^18
          { rate: 5/s, burst: 1000000000000000000 } # burst '1000000000000000000' is not a whole number below 10^18
          { rate: 1/week, burst: 999999999999 } # a burst of 999999999999 at 1 per 604800000 ms cannot be kept exactly; use a smaller burst or a shorter period
          { rate: 5/s, queue: 7 }          # queue means nothing to token-bucket; leaky-bucket takes it
          { rate: 5/s, aligned: true }     # aligned means nothing to token-bucket; fixed-window and sliding-window take it
          { rate: 5/s, zone: UTC }         # zone means nothing to token-bucket; quota takes it
          { rate: 5/s, permits: 3 }        # permits means nothing to token-bucket; concurrency takes it
          { algorithm: sliding-window, rate: 5/s, burst: 9 } # burst means nothing to sliding-window; token-bucket takes it
          { algorithm: slidingwindow, rate: 5/s } # unknown algorithm 'slidingwindow'; there are token-bucket, leaky-bucket, fixed-window, sliding-window, sliding-log, quota and concurrency; did you mean 'sliding-window'?
          { algorithm: sliding-log, rate: 10001/s } # a sliding log remembers at most 10000 calls a key, not 10001; use sliding-window for more
          { algorithm: quota, rate: 5/min } # a quota is per h, day, week or month, not 'min'
          { algorithm: quota, rate: 5/day, zone: Moon } # unknown time zone 'Moon'; use a name such as Europe/Berlin
          { algorithm: concurrency, permits: 5, permit_ttl: 2day } # permit_ttl is at most a day
          { algorithm: concurrency, permits: 5, permit_ttl: 0s } # permit_ttl must be longer than 0
          { algorithm: leaky-bucket, rate: 5/s, queue: -2 } # queue -2 is negative
          { algorithm: leaky-bucket, rate: 5/s, queue: 1, max_wait: soon } # 'soon' is not a time such as 30s; units are ms, s, min, h, day, week
          { algorithm: fixed-window, rate: 5/s, aligned: 1 } # aligned must be true or false, not '1'
          { rate: 5/s, name: "a b" }       # name 'a b' may hold only letters, digits, '-', '_' and '.'
          { rate: 5/s, name: "2" }         # name 2 must not be a number: limits without a name go by theirs
          """)
  void refusesALimit(String limit, String reason) {
    assertThat(withRule("key: [user] / limit: " + limit))
        .containsExactly("r.yaml:5: rule r: " + reason);
    assertThatTheSchemaFinds("key: [user] / limit: " + limit, reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '`',
      textBlock =
          """
          limit: { rate: 5/s, burst: 3 } / cost: 5  # 4 # burst 3 is smaller than cost 5
          limit: 3/s / cost: 5                      # 4 # burst 3 is smaller than cost 5
          limit: sliding-window 3/s / cost: 5       # 4 # limit sliding-window 3/s is smaller than cost 5
          limit: quota 3/day / cost: 5              # 4 # limit quota 3/day is smaller than cost 5
          limit: concurrency 3 / cost: 5            # 4 # permits 3 is smaller than cost 5
          limit: leaky-bucket 9/s queue=2 / cost: 5 # 4 # room for 3 (the queue and one) is smaller than cost 5
          limit: 3/s / cost: { attribute: a, default: 5 } # 4 # burst 3 is smaller than cost 5
          limit: 3/s / cost: { response_header: h, reserve: 5 } # 4 # burst 3 is smaller than cost 5
          limit: 8/s / cost: 2 / shards: 8          # 4 # burst 8 over 8 shards is 1 each, which is smaller than cost 2
          limit: 4/s / shards: 8                    # 4 # burst 4 over 8 shards is 0 each, which is smaller than cost 1
          limit: 4/s / cost: 0 / shards: 8          # 6 # shards 8 is more than the 4 of 4/s
          limit: 2003/364day / shards: 1024         # 5 # shards 1024 cannot split 2003/52week exactly: each would have a period of more than ten years
          limit: 16/s / shards: 8 / schedule: [{ factor: 0.4 }] # 6 # schedule: with factor 0.4 burst 6 over 8 shards is 0 each, which is smaller than cost 1
          limit: 1536/364day / shards: 1024 / schedule: [{ factor: 0.7 }] # 6 # shards 1024 cannot split 5376/260week burst=1075 exactly: each would have a period of more than ten years; schedule: with factor 0.7
          limit: sliding-log 9/s / shards: 2        # 5 # shards cannot split a sliding-log limit
          limit: leaky-bucket 9/s queue=9 / shards: 2 # 5 # shards cannot split a leaky-bucket limit
          limit: concurrency 9 / shards: 2          # 5 # shards cannot split a concurrency limit
          limit: concurrency 9 / count_denied: true # 5 # count_denied means nothing to concurrency: a refused call holds no permit
          limit: 10/s / cost: 8 / schedule: [{ factor: 0.5 }] # 6 # schedule: with factor 0.5 burst 5 is smaller than cost 8
          limit: 10/s / cost: 8 / penalty: { after: 9, within: 1min, factor: 0.5, for: 10min } # 6 # penalty: with factor 0.5 burst 5 is smaller than cost 8
          limit: 16/s / cost: 8 / schedule: [{ factor: 0.5 }] / penalty: { after: 9, within: 1min, factor: 0.5, for: 10min } # 7 # penalty: with factor 0.5 and schedule factor 0.5 burst 4 is smaller than cost 8
          limit: 16/s / shards: 8 / penalty: { after: 9, within: 1min, factor: 0.4, for: 10min } # 6 # penalty: with factor 0.4 burst 6 over 8 shards is 0 each, which is smaller than cost 1
          limit: unlimited / penalty: { after: 9, within: 1min, factor: 0.5, for: 10min } # 5 # penalty needs a limit, and this is unlimited
          limit: unlimited / candidate: 5/s         # 5 # candidate needs limits of the rule's own, and limit is unlimited
          limit: 10/s / cost: 8 / candidate: 5/s    # 6 # burst 5 of candidate is smaller than cost 8
          limit: sliding-log 9000/s / schedule: [{ factor: 2 }] # 5 # schedule: factor 2 makes limit sliding-log 9000/s impossible: a sliding log remembers at most 10000 calls a key, not 18000; use sliding-window for more
          limit: sliding-log 9000/s / local_factor: 2 # 5 # local_factor 2 makes limit sliding-log 9000/s impossible: a sliding log remembers at most 10000 calls a key, not 18000; use sliding-window for more
          """)
  void refusesPartsThatDoNotGoTogether(String lines, int line, String reason) {
    assertThat(withRule(lines + " / key: [user]"))
        .containsExactly("r.yaml:" + line + ": rule r: " + reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '`',
      textBlock =
          """
          limit: 0/s
          limit: { rate: 0/s, burst: 0 }
          limit: concurrency 0
          limit: 0/s / cost: 5
          limit: 5/s / cost: 0
          limit: 10/s / schedule: [{ factor: 0 }]
          limit: 9/s / schedule: { days: [sat, Sun], hours: "22:00-06:00", zone: Europe/Berlin, factor: 2 }
          limit: 9/s / percent: 100
          limit: 9/s / on_limit: mark / headers: hidden / expires: 2030-01-01
          limit: 9/s / on_limit: refuse / headers: shown / expires: 2030-01-01T12:00:00+02:00
          limit: 9/s / penalty: { after: 1, within: 1s, factor: 0.0001, for: 1week } / mode: shadow
          limit: 9/s / penalty: { after: 1000, within: 1day, factor: "0.9999", for: 1s }
          limit: quota 9/day / candidate: 200/month
          limit: concurrency 9 / candidate: concurrency 5
          limit: [5/s, sliding-window 9/min] / candidate: [4/s, 8/min]
          limit: 9/s / candidate: { rate: 4/s, burst: 9 } / mode: enforce
          limit: 9/s / accuracy: exact / local_factor: 0.5 / on_missing: deny / scope: global
          limit: 9/s / match: { hosts: [API.Example.com., "*.example.org", "[::1]"], absent: user }
          limit: 9/s / key: [ip, header.X-Plan, my.own_attribute]
          """)
  void acceptsUnusualButMeaningfulRules(String lines) {
    String key = lines.contains("key:") ? "" : " / key: [ip]";
    assertThat(withRule(lines + key)).isEmpty();
    assertThat(RuleSchema.errors(document(lines + key))).isEmpty();
  }
}

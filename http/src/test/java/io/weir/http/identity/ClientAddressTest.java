package io.weir.http.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.http.FakeRequestHead;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientAddressTest {
  private static final String XFF = "X-Forwarded-For";

  private static ClientAddress trusting(String header, int hops, String... ranges) {
    return new ClientAddress(header, Arrays.stream(ranges).map(Cidr::parse).toList(), hops, 64);
  }

  @Test
  void trustsNoProxyByDefault() {
    FakeRequestHead head =
        FakeRequestHead.from("203.0.113.1").with(XFF, "1.1.1.1").with("Forwarded", "for=2.2.2.2");

    assertThat(ClientAddress.OF_CONNECTION.of(head)).isEqualTo("203.0.113.1");
  }

  @Test
  void ignoresHeadersOfAnUntrustedPeer() {
    FakeRequestHead head = FakeRequestHead.from("203.0.113.1").with(XFF, "1.1.1.1");

    assertThat(trusting(XFF, 0, "10.0.0.0/8").of(head)).isEqualTo("203.0.113.1");
    assertThat(trusting(XFF, 1, "10.0.0.0/8").of(head)).isEqualTo("203.0.113.1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "203.0.113.9                              | 203.0.113.9",
        "6.6.6.6, 203.0.113.9                     | 203.0.113.9",
        "6.6.6.6, 203.0.113.9, 10.0.0.2           | 203.0.113.9",
        "junk, <script>, 203.0.113.9, 10.0.0.2    | 203.0.113.9",
        "203.0.113.9:1234                         | 203.0.113.9",
        "[2001:db8:1:2:3::4]:99                   | 2001:db8:1:2::/64",
        "[2001:db8:1:2:3::4]                      | 2001:db8:1:2::/64",
        "2001:db8:1:2:3::4                        | 2001:db8:1:2::/64",
        "::ffff:203.0.113.9                       | 203.0.113.9",
        "::FFFF:cb00:7109                         | 203.0.113.9",
        "203.0.113.9, ::ffff:10.0.0.2             | 203.0.113.9",
        "203.0.113.9,,  10.0.0.2 ,                | 203.0.113.9",
        "10.0.0.3, 10.0.0.2                       | 10.0.0.3",
        // An invalid entry gives the address of the connection.
        "203.0.113.9, unknown                     | 10.0.0.1",
        "203.0.113.9, 10.0.0.2.                   | 10.0.0.1",
        "203.0.113.9, 0177.0.0.1                  | 10.0.0.1",
        "203.0.113.9, 10.1                        | 10.0.0.1",
        "203.0.113.9, fe80::1%eth0                | 10.0.0.1",
        "203.0.113.9:port                         | 10.0.0.1",
        "203.0.113.9:123456                       | 10.0.0.1",
        "203.0.113.9:                             | 10.0.0.1",
        "[203.0.113.9]                            | 10.0.0.1",
        "[2001:db8::1                             | 10.0.0.1",
        "[2001:db8::1]x                           | 10.0.0.1",
        "'203.0.113.9'x                           | 10.0.0.1",
        "' '                                      | 10.0.0.1",
      })
  void findsTheLastUntrustedEntry(String forwarded, String client) {
    FakeRequestHead head = FakeRequestHead.from("10.0.0.1").with(XFF, forwarded);

    assertThat(trusting(XFF, 0, "10.0.0.0/8").of(head)).isEqualTo(client);
    assertThat(trusting(XFF, 1, "10.0.0.0/8").of(head)).isEqualTo(client);
  }

  @Test
  void readsSeveralLinesAsOneList() {
    FakeRequestHead head =
        FakeRequestHead.from("10.0.0.1").with(XFF, "6.6.6.6, 203.0.113.9").with(XFF, "10.0.0.2");

    assertThat(trusting(XFF, 0, "10.0.0.0/8").of(head)).isEqualTo("203.0.113.9");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 | 6.6.6.6, 203.0.113.9           | 203.0.113.9",
        "2 | 6.6.6.6, 203.0.113.9, 192.0.2.1 | 203.0.113.9",
        "3 | 203.0.113.9, 192.0.2.1          | 203.0.113.9",
        "2 | 203.0.113.9, what               | 192.0.2.9",
      })
  void countsHopsWhereAddressesAreNotKnown(int hops, String forwarded, String client) {
    FakeRequestHead head = FakeRequestHead.from("192.0.2.9").with(XFF, forwarded);

    assertThat(trusting(XFF, hops).of(head)).isEqualTo(client);
  }

  @Test
  void stepsPastTheHopsAndThenPastTrustedAddresses() {
    FakeRequestHead head =
        FakeRequestHead.from("10.0.0.1").with(XFF, "203.0.113.9, 10.0.0.2, 198.51.100.1");

    assertThat(trusting(XFF, 2, "10.0.0.0/8").of(head)).isEqualTo("203.0.113.9");
    assertThat(trusting(XFF, 1, "10.0.0.0/8").of(head)).isEqualTo("198.51.100.1");
  }

  @Test
  void looksAtNoMoreThan32EntriesBeyondTheHops() {
    String ours = IntStream.range(0, 32).mapToObj(i -> "10.0.1." + i).collect(joining());
    String more = "10.0.2.1, " + ours;

    assertThat(trusting(XFF, 0, "10.0.0.0/8").of(FakeRequestHead.from("10.0.0.1").with(XFF, ours)))
        .isEqualTo("10.0.1.0");
    assertThat(trusting(XFF, 0, "10.0.0.0/8").of(FakeRequestHead.from("10.0.0.1").with(XFF, more)))
        .isEqualTo("10.0.0.1");
    assertThat(trusting(XFF, 1, "10.0.0.0/8").of(FakeRequestHead.from("10.0.0.1").with(XFF, more)))
        .isEqualTo("10.0.2.1");
  }

  private static java.util.stream.Collector<CharSequence, ?, String> joining() {
    return Collectors.joining(", ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "for=203.0.113.9                                  | 203.0.113.9",
        "For=203.0.113.9;proto=https;by=10.0.0.9          | 203.0.113.9",
        "proto=http; for=\"203.0.113.9:80\" ; host=\"a,b\"| 203.0.113.9",
        "for=6.6.6.6, for=203.0.113.9, for=10.0.0.2       | 203.0.113.9",
        "for=\"[2001:db8:1:2:3::4]:4711\"                 | 2001:db8:1:2::/64",
        "for=\"[2001:db8:1:2:3::4]\"                      | 2001:db8:1:2::/64",
        "for=\"\\203.0.113.9\"                            | 203.0.113.9",
        "for=6.6.6.6,, for=203.0.113.9;                   | 203.0.113.9",
        // Without an address, or malformed.
        "for=unknown                                      | 10.0.0.1",
        "for=_hidden                                      | 10.0.0.1",
        "for=203.0.113.9, by=10.0.0.2                     | 10.0.0.1",
        "for=203.0.113.9, for=\"6.6.6.6                   | 10.0.0.1",
        "for=\"6.6.6.6, for=203.0.113.9                   | 10.0.0.1",
        "for=6.6.6.6;x=\", for=\"[2001:db8::1]\"          | 10.0.0.1",
        "for=\"203.0.113.9\"x                             | 10.0.0.1",
        "for=203.0.113.9;for=6.6.6.6                      | 10.0.0.1",
        "for=                                             | 10.0.0.1",
        "for=\"\"                                         | 10.0.0.1",
        "for=\"\\                                         | 10.0.0.1",
        "=203.0.113.9                                     | 10.0.0.1",
        "203.0.113.9                                      | 10.0.0.1",
      })
  void readsForwarded(String forwarded, String client) {
    FakeRequestHead head = FakeRequestHead.from("10.0.0.1").with("forwarded", forwarded);

    assertThat(trusting("Forwarded", 0, "10.0.0.0/8").of(head)).isEqualTo(client);
  }

  @Test
  void malformedLineOfAClientDoesNotHideTheProxysLine() {
    FakeRequestHead head =
        FakeRequestHead.from("10.0.0.1")
            .with("forwarded", "for=\"6.6.6.6")
            .with("forwarded", "for=203.0.113.9");

    assertThat(trusting("forwarded", 0, "10.0.0.0/8").of(head)).isEqualTo("203.0.113.9");
  }

  @Test
  void readsOnlyTheConfiguredHeader() {
    FakeRequestHead head =
        FakeRequestHead.from("10.0.0.1").with(XFF, "1.1.1.1").with("Forwarded", "for=2.2.2.2");

    assertThat(trusting(XFF, 0, "10.0.0.0/8").of(head)).isEqualTo("1.1.1.1");
    assertThat(trusting("forwarded", 0, "10.0.0.0/8").of(head)).isEqualTo("2.2.2.2");
    assertThat(trusting("x-real-ip", 0, "10.0.0.0/8").of(head)).isEqualTo("10.0.0.1");
  }

  @ParameterizedTest
  @CsvSource({
    "2001:db8:1:2:aaaa::1, 64, 2001:db8:1:2::/64",
    "2001:db8:1:2:bbbb::2, 64, 2001:db8:1:2::/64",
    "2001:db8:1:2:aaaa::1, 56, 2001:db8:1::/56",
    "2001:db8:1:2:aaaa::1, 128, 2001:db8:1:2:aaaa::1",
    "fe80::1%eth0, 64, fe80::/64",
    "::ffff:1.2.3.4, 64, 1.2.3.4"
  })
  void groupsIpv6ByPrefix(String peer, int prefix, String client) {
    assertThat(new ClientAddress(XFF, List.of(), 0, prefix).of(FakeRequestHead.from(peer)))
        .isEqualTo(client);
  }

  @Test
  void hasNoAddressForAConnectionWithoutOne() {
    assertThat(trusting(XFF, 1).of(FakeRequestHead.from("").with(XFF, "1.1.1.1"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 101})
  void refusesOddHops(int hops) {
    assertThatThrownBy(() -> trusting(XFF, hops)).hasMessageContaining("hops");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 129})
  void refusesOddPrefixes(int prefix) {
    assertThatThrownBy(() -> new ClientAddress(XFF, List.of(), 0, prefix))
        .hasMessageContaining("ipv6_prefix");
  }

  @Property
  void isNeverAnythingButAnAddress(@ForAll @StringLength(max = 60) String junk) {
    for (String header : List.of("x-forwarded-for", "forwarded")) {
      String client =
          trusting(header, 0, "10.0.0.0/8").of(FakeRequestHead.from("10.0.0.1").with(header, junk));
      String address = client.endsWith("/64") ? client.substring(0, client.length() - 3) : client;

      assertThat(IpAddress.parse(address)).isPresent();
    }
  }

  /** The proxy's own entry comes last and decides, whatever a client sends. */
  @Property
  void entriesBeforeTheProxysEntryChangeNothing(@ForAll @StringLength(max = 60) String junk) {
    FakeRequestHead list = FakeRequestHead.from("10.0.0.1").with(XFF, junk + ", 203.0.113.9");
    FakeRequestHead forwarded =
        FakeRequestHead.from("10.0.0.1").with("forwarded", junk + ", for=203.0.113.9");

    assertThat(trusting(XFF, 0, "10.0.0.0/8").of(list)).isEqualTo("203.0.113.9");
    assertThat(trusting("forwarded", 0, "10.0.0.0/8").of(forwarded))
        .isIn("203.0.113.9", "10.0.0.1");
  }
}

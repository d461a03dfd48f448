package io.weir.http.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {
  @ParameterizedTest
  @CsvSource({
    "1.2.3.4, 1.2.3.4",
    "0.0.0.0, 0.0.0.0",
    "255.255.255.255, 255.255.255.255",
    "::ffff:1.2.3.4, 1.2.3.4",
    "::FFFF:1.2.3.4, 1.2.3.4",
    "::ffff:102:304, 1.2.3.4",
    "0:0:0:0:0:ffff:1.2.3.4, 1.2.3.4",
    "0000:0000:0000:0000:0000:FFFF:0102:0304, 1.2.3.4",
    "::, ::",
    "::1, ::1",
    "1::, 1::",
    "2001:DB8::1, 2001:db8::1",
    "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
    "2001:0db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
    "::1.2.3.4, ::102:304",
    "64:ff9b::1.2.3.4, 64:ff9b::102:304",
    "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304"
  })
  void parsesAddressesAndPrintsTheCanonicalForm(String text, String canonical) {
    assertThat(IpAddress.parse(text).map(Object::toString)).hasValue(canonical);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "1",
        "127.1",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.4.",
        ".1.2.3.4",
        "1..3.4",
        "0177.0.0.1",
        "01.2.3.4",
        "1.2.3.04",
        "0x7f.0.0.1",
        "256.1.1.1",
        "1.2.3.1000",
        "1.2.3.4 ",
        "+1.2.3.4",
        "1.2.3.-4",
        "2130706433",
        "localhost",
        "example.com",
        "١.٢.٣.٤",
        ":",
        ":::",
        "1:",
        ":1",
        "1::2::3",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "::1:2:3:4:5:6:7:8",
        "12345::",
        "::g",
        "fe80::1%eth0",
        "fe80::1%1",
        "[::1]",
        "::ffff:1.2.3",
        "::ffff:127.1",
        "::ffff:0177.0.0.1",
        "1:2:3:4:5:6:7:1.2.3.4",
        "::1.2.3.4:5",
        "1.2.3.4::",
        "::-1",
        "::+1"
      })
  void rejectsOtherTexts(String text) {
    assertThat(IpAddress.parse(text)).isEmpty();
  }

  @Property
  void agreesWithTheJdkOnEveryAddress(@ForAll @Size(16) byte[] bytes) throws UnknownHostException {
    InetAddress jdk = InetAddress.getByAddress(bytes);
    IpAddress ours = IpAddress.parse(jdk.getHostAddress()).orElseThrow();

    assertThat(InetAddress.getByName(ours.toString())).isEqualTo(jdk);
    assertThat(IpAddress.parse(ours.toString())).hasValue(ours);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.0.1, true",
    "10.0.0.0/8, 11.0.0.1, false",
    "10.0.0.0/8, ::ffff:10.1.1.1, true",
    "0.0.0.0/0, 1.2.3.4, true",
    "0.0.0.0/0, ::1, false",
    "192.0.2.7, 192.0.2.7, true",
    "192.0.2.7, 192.0.2.8, false",
    "::/0, 2001:db8::1, true",
    "::/0, 1.2.3.4, false",
    "2001:db8::/32, 2001:db8:ffff::1, true",
    "2001:db8::/32, 2001:db9::1, false",
    "2001:db8::/65, 2001:db8:0:0:7fff::, true",
    "2001:db8::/65, 2001:db8:0:0:8000::, false",
    "::ffff:10.0.0.0/104, 10.9.9.9, true",
    "::1/128, ::1, true"
  })
  void knowsWhichAddressesAreInARange(String range, String address, boolean in) {
    assertThat(Cidr.parse(range).contains(IpAddress.parse(address).orElseThrow())).isEqualTo(in);
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.0/8, 10.0.0.0/8", "1.2.3.4, 1.2.3.4/32", "2001:DB8::/32, 2001:db8::/32"})
  void printsRanges(String text, String printed) {
    assertThat(Cidr.parse(text)).hasToString(printed);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/8x",
        "10.0.0.0/0008",
        "10/8",
        "10.1.0.0/8",
        "::/129",
        "2001:db8::1/32",
        "example.com/8",
        "10.0.0.0/8/8"
      })
  void rejectsInvalidRanges(String text) {
    assertThatThrownBy(() -> Cidr.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }
}

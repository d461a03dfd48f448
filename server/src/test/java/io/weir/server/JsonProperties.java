package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;

class JsonProperties {
  private static final byte[] TEXT = Json.name("text");
  private static final byte[] NUMBER = Json.name("number");

  @Property
  void writesWhatAnyReaderReadsBack(@ForAll @StringLength(max = 300) String text, @ForAll long n) {
    Json json = new Json();
    json.open().field(TEXT).text(text).field(NUMBER).number(n).close();
    JsonObject read = new JsonObject(json.toBuffer());

    assertThat(read.getString("text")).isEqualTo(text);
    assertThat(read.getLong("number")).isEqualTo(n);
  }
}

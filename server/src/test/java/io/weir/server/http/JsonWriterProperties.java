package io.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;

class JsonWriterProperties {
  private static final byte[] TEXT = JsonWriter.name("text");
  private static final byte[] NUMBER = JsonWriter.name("number");

  @Property
  void writesWhatAnyReaderReadsBack(@ForAll @StringLength(max = 300) String text, @ForAll long n) {
    JsonWriter json = new JsonWriter();
    json.open().field(TEXT).text(text).field(NUMBER).number(n).close();
    JsonObject read = new JsonObject(json.toBuffer());

    assertThat(read.getString("text")).isEqualTo(text);
    assertThat(read.getLong("number")).isEqualTo(n);
  }
}

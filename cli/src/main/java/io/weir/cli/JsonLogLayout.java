package io.weir.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Map;

/**
 * Formats log lines as one JSON object each: {@code time}, {@code level}, {@code logger}, {@code
 * message}, {@code error} with its stack trace, and the context of the request, such as {@code
 * trace_id}.
 */
final class JsonLogLayout extends EncoderBase<ILoggingEvent> {
  private static final byte[] NOTHING = {};
  private final JsonFactory json = new JsonFactory();

  @Override
  public byte[] encode(ILoggingEvent event) {
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    try (JsonGenerator out = json.createGenerator(line)) {
      write(event, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // not possible in memory
    }
    line.write('\n');
    return line.toByteArray();
  }

  private static void write(ILoggingEvent event, JsonGenerator out) throws IOException {
    out.writeStartObject();
    out.writeStringField("time", Instant.ofEpochMilli(event.getTimeStamp()).toString());
    out.writeStringField("level", event.getLevel().toString());
    out.writeStringField("logger", event.getLoggerName());
    out.writeStringField("message", event.getFormattedMessage());
    if (event.getThrowableProxy() != null) {
      out.writeStringField("error", ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    for (Map.Entry<String, String> known : event.getMDCPropertyMap().entrySet()) {
      out.writeStringField(known.getKey(), known.getValue());
    }
    out.writeEndObject();
  }

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }
}

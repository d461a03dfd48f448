package io.weir.server.http;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Encodes the details of a gRPC status: a {@code google.rpc.Status} with a {@code RetryInfo} and a
 * {@code QuotaFailure}. These four small messages have been stable for years, so they are written
 * field by field here instead of depending on the hundreds of classes they are published with.
 */
final class RpcStatusEncoder {
  private static final String TYPES = "type.googleapis.com/google.rpc.";

  private RpcStatusEncoder() {}

  /**
   * The message in its binary form.
   *
   * @param violated the names of the limits that refused
   */
  static byte[] of(int code, String message, Optional<Duration> retryAfter, List<String> violated) {
    return message(
            out -> {
              out.writeInt32(1, code);
              out.writeString(2, message);
              if (retryAfter.isPresent()) {
                out.writeMessage(3, any("RetryInfo", retryInfo(retryAfter.get())));
              }
              if (!violated.isEmpty()) {
                out.writeMessage(3, any("QuotaFailure", quotaFailure(violated)));
              }
            })
        .toByteArray();
  }

  private static ByteString retryInfo(Duration retryAfter) {
    return message(
        out ->
            out.writeMessage(
                1,
                com.google.protobuf.Duration.newBuilder()
                    .setSeconds(retryAfter.getSeconds())
                    .setNanos(retryAfter.getNano())
                    .build()));
  }

  private static ByteString quotaFailure(List<String> violated) {
    return message(
        out -> {
          for (String name : violated) {
            out.writeBytes(1, violation(name));
          }
        });
  }

  private static ByteString violation(String name) {
    return message(
        out -> {
          out.writeString(1, "limit:" + name);
          out.writeString(2, "the limit " + name + " is reached");
        });
  }

  private static MessageLite any(String type, ByteString value) {
    return Any.newBuilder().setTypeUrl(TYPES + type).setValue(value).build();
  }

  private static ByteString message(Fields fields) {
    ByteString.Output bytes = ByteString.newOutput();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      fields.writeTo(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // cannot happen in memory
    }
    return bytes.toByteString();
  }

  private interface Fields {
    void writeTo(CodedOutputStream out) throws IOException;
  }
}

package io.weir.server.check;

import io.weir.Call;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.JsonReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads calls from the bodies of checks: {@code {"method","path","host","attributes","cost"}}. */
public final class CallReader {
  /** The maximum number of calls in one batch. */
  static final int MAX_CALLS = 1000;

  private static final List<String> KNOWN = List.of("method", "path", "host", "attributes", "cost");

  private CallReader() {}

  /** One call. */
  public static Call read(byte[] body) {
    return JsonReader.read(body, CallReader::call);
  }

  /** The calls of a batch. */
  static List<Call> readBatch(byte[] body) {
    return JsonReader.read(body, CallReader::batch);
  }

  private static List<Call> batch(JsonReader in) throws IOException {
    List<Call> calls = null;
    in.object();
    for (String name = in.next(); name != null; name = in.next()) {
      if (!name.equals("calls")) {
        throw in.unknownField(List.of("calls"));
      }
      calls = calls(in);
    }
    if (calls == null) {
      throw HttpProblemException.badField("calls", "calls is missing");
    }
    return calls;
  }

  private static List<Call> calls(JsonReader in) throws IOException {
    List<Call> calls = new ArrayList<>();
    in.list();
    while (in.nextItem()) {
      if (calls.size() == MAX_CALLS) {
        throw HttpProblemException.badField("calls", "calls has more than " + MAX_CALLS + " items");
      }
      calls.add(call(in));
    }
    return calls;
  }

  private static Call call(JsonReader in) throws IOException {
    String method = "GET";
    String path = "/";
    String host = "";
    long cost = 1;
    List<String> attributes = List.of();
    in.object();
    for (String name = in.next(); name != null; name = in.next()) {
      switch (name) {
        case "method" -> method = in.text();
        case "path" -> path = path(in);
        case "host" -> host = in.text();
        case "cost" -> cost = in.wholeNumber(Call.MAX_COST);
        case "attributes" -> attributes = attributes(in);
        default -> throw in.unknownField(KNOWN);
      }
    }
    Call call = Call.of(method, path);
    for (int i = 0; i < attributes.size(); i += 2) {
      call = call.with(attributes.get(i), attributes.get(i + 1));
    }
    call = host.isEmpty() ? call : call.host(host);
    return cost == 1 ? call : call.cost(cost);
  }

  private static String path(JsonReader in) throws IOException {
    String path = in.text();
    if (!path.startsWith("/")) {
      throw in.invalid("must begin with '/'");
    }
    return path;
  }

  /** Names and values, alternating. */
  private static List<String> attributes(JsonReader in) throws IOException {
    List<String> attributes = new ArrayList<>();
    in.object();
    for (@Nullable String name = in.next(); name != null; name = in.next()) {
      attributes.add(name);
      attributes.add(in.scalarText());
    }
    return attributes;
  }
}

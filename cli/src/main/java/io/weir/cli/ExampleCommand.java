package io.weir.cli;

import io.weir.cli.output.JsonMap;
import io.weir.server.config.CallerSettings;
import io.weir.server.envoy.limit.EnvoyRequest;
import io.weir.server.envoy.limit.ExampleRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * A curl command to try out a server that has just started.
 *
 * @param note the line printed above it
 */
record ExampleCommand(String note, String command) {
  private static final String REFUSED_SOON = "try this, a few times:";
  private static final String PLAIN = "try this:";

  /** Requests a decision by the rules. */
  static ExampleCommand check(String url, CallerSettings callers, ExampleCall call) {
    String body = call.body().compact();
    return new ExampleCommand(
        note(call.refusedSoon(), callers), post(url + "/v1/check", callers, body));
  }

  /** Requests a decision by the Envoy limits. */
  static ExampleCommand json(String url, CallerSettings callers, ExampleRequest example) {
    List<JsonMap> descriptors = new ArrayList<>();
    for (EnvoyRequest.Descriptor descriptor : example.request().descriptors()) {
      List<JsonMap> entries =
          descriptor.entries().stream()
              .map(entry -> new JsonMap().put("key", entry.key()).put("value", entry.value()))
              .toList();
      descriptors.add(new JsonMap().put("entries", entries));
    }
    JsonMap body =
        new JsonMap().put("domain", example.request().domain()).put("descriptors", descriptors);
    return new ExampleCommand(
        note(example.refusedSoon(), callers), post(url + "/json", callers, body.compact()));
  }

  /** Sends a request to a gateway. */
  static ExampleCommand send(String url, ExampleCall call) {
    StringBuilder command = new StringBuilder(curl("curl -si", url)).append(' ');
    command.append(word(url + call.path()));
    if (!call.host().isEmpty()) {
      command.append(" -H ").append(quoted("Host: " + call.host()));
    }
    call.attributes()
        .forEach(
            (name, value) -> {
              if (name.startsWith("header.")) {
                String header = name.substring("header.".length());
                command.append(" -H ").append(quoted(header + ": " + value));
              }
            });
    return new ExampleCommand(call.refusedSoon() ? REFUSED_SOON : PLAIN, command.toString());
  }

  /** Sends a request to a gateway; its rules may not match. */
  static ExampleCommand send(String url) {
    return new ExampleCommand(PLAIN, curl("curl -si", url) + " " + url + "/");
  }

  private static String note(boolean refusedSoon, CallerSettings callers) {
    String note = refusedSoon ? REFUSED_SOON : PLAIN;
    if (callers.acceptsAll()) {
      return note;
    }
    String needed =
        callers.tokens().isEmpty() ? "a client certificate" : "TOKEN, one of callers.tokens";
    return note.substring(0, note.length() - 1) + ", with " + needed + ":";
  }

  private static String post(String url, CallerSettings callers, String body) {
    String proof = "";
    if (!callers.tokens().isEmpty()) {
      proof = " -H 'Authorization: Bearer TOKEN'";
    } else if (!callers.acceptsAll()) {
      proof = " --cert CLIENT.pem --key CLIENT-KEY.pem";
    }
    return curl("curl -s", url) + proof + " " + url + " -d " + quoted(body);
  }

  /** With TLS adds {@code -k}: the certificate is for a name, but the URL has a local address. */
  private static String curl(String command, String url) {
    return url.startsWith("https:") ? command + "k" : command;
  }

  /** Quoted only if it has a character that a shell interprets, such as {@code &}. */
  private static String word(String text) {
    boolean plain =
        text.chars().allMatch(c -> Character.isLetterOrDigit(c) || "/:.-_~%@+,=".indexOf(c) >= 0);
    return plain ? text : quoted(text);
  }

  /** In single quotes, escaped for a shell. */
  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}

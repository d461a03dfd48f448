package io.weir.cli;

import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** HTTP client of a running server. */
final class ServerClient {
  static final String DEFAULT_SERVER = "http://127.0.0.1:8080";

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final String server;
  private final String token;

  /** Creates a client; an empty token is not sent. */
  ServerClient(String server, String token) {
    this.token = token;
    String address = server.contains("://") ? server : "http://" + server;
    this.server = address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
  }

  /** Posts JSON and returns the JSON of the response. */
  JsonMap post(String path, JsonMap body) {
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(server + path))
              .timeout(TIMEOUT)
              .header("content-type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(body.compact()));
      if (!token.isEmpty()) {
        request.header("authorization", "Bearer " + token);
      }
      HttpClient client =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(CONNECT_TIMEOUT)
              .build();
      return read(client.send(request.build(), HttpResponse.BodyHandlers.ofString()));
    } catch (ConnectException e) {
      throw new CommandException("no server at " + server + "; start one with: weir serve");
    } catch (IOException e) {
      throw new CommandException(server + " does not respond: " + e);
    } catch (IllegalArgumentException e) {
      throw new CommandException("'" + server + "' is not the address of a server");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted");
    }
  }

  private JsonMap read(HttpResponse<String> response) {
    JsonMap answer;
    try {
      answer = JsonMap.parse(response.body());
    } catch (IOException e) {
      throw new CommandException(server + " answered " + response.statusCode() + " without JSON");
    }
    if (response.statusCode() != 200) {
      throw new CommandException(
          response.statusCode()
              + ": "
              + (answer.has("detail") ? answer.text("detail") : answer.compact()));
    }
    return answer;
  }
}

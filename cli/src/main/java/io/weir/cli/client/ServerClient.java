package io.weir.cli.client;

import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** HTTP client of a running server. */
public final class ServerClient {
  public static final String DEFAULT_SERVER = "http://127.0.0.1:8080";

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final String server;
  private final String token;
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT_TIMEOUT)
          .build();

  /**
   * A request.
   *
   * @param body empty if there is none
   * @param ifMatch the value of If-Match; empty if it is not sent
   */
  public record Request(
      String method, String path, String contentType, String body, String ifMatch) {
    /** A request without a body. */
    public static Request of(String method, String path) {
      return new Request(method, path, "", "", "");
    }

    /** A request with a JSON body. */
    public static Request json(String method, String path, JsonMap body) {
      return new Request(method, path, "application/json", body.compact(), "");
    }

    /** The same request for the version that the author has seen. */
    public Request ifMatch(long version) {
      return new Request(method, path, contentType, body, '"' + Long.toString(version) + '"');
    }
  }

  /** The status and the text of a response. */
  public record Response(int status, String text) {
    public boolean isOk() {
      return status == 200;
    }
  }

  /** Creates a client; an empty token is not sent. */
  public ServerClient(String server, String token) {
    this.token = token;
    String address = server.contains("://") ? server : "http://" + server;
    this.server = address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
  }

  /** The address of the server. */
  public String server() {
    return server;
  }

  /** Posts JSON and returns the JSON of the response. */
  public JsonMap post(String path, JsonMap body) {
    Response response = send(Request.json("POST", path, body));
    JsonMap answer = json(response);
    if (!response.isOk()) {
      throw new CommandException(
          response.status()
              + ": "
              + (answer.has("detail") ? answer.text("detail") : answer.compact()));
    }
    return answer;
  }

  /** The JSON object of a response. */
  public JsonMap json(Response response) {
    try {
      return JsonMap.parse(response.text());
    } catch (IOException e) {
      throw new CommandException(server + " answered " + response.status() + " without JSON");
    }
  }

  /** Sends a request. */
  public Response send(Request request) {
    try {
      HttpRequest.Builder http =
          HttpRequest.newBuilder(URI.create(server + request.path())).timeout(TIMEOUT);
      http.method(
          request.method(),
          request.body().isEmpty()
              ? HttpRequest.BodyPublishers.noBody()
              : HttpRequest.BodyPublishers.ofString(request.body(), StandardCharsets.UTF_8));
      header(http, "content-type", request.contentType());
      header(http, "if-match", request.ifMatch());
      header(http, "authorization", token.isEmpty() ? "" : "Bearer " + token);
      HttpResponse<String> response =
          client.send(http.build(), HttpResponse.BodyHandlers.ofString());
      return new Response(response.statusCode(), response.body());
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

  private static void header(HttpRequest.Builder http, String name, String value) {
    if (!value.isEmpty()) {
      http.header(name, value);
    }
  }
}

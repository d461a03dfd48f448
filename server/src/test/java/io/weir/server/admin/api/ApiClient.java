package io.weir.server.admin.api;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.validation.ResponseValidator;
import io.vertx.openapi.validation.ValidatableResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A client of the admin API that checks every response against the contract. All tests of the API
 * ask through it.
 */
public final class ApiClient {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String base;
  private final OpenAPIContract contract;
  private final ResponseValidator validator;

  /**
   * @param base such as {@code http://127.0.0.1:6070}
   */
  public ApiClient(Vertx vertx, String base) {
    this.base = base;
    this.contract = ApiContract.compile(ApiContract.parse(ApiContract.resource()));
    this.validator = ResponseValidator.create(vertx, contract);
  }

  /** A response that fulfils the contract. */
  public record Answer(HttpResponse<String> http) {
    public int status() {
      return http.statusCode();
    }

    public JsonObject json() {
      return new JsonObject(http.body());
    }

    public JsonArray items() {
      return json().getJsonArray("items");
    }

    public String header(String name) {
      return http.headers().firstValue(name).orElse("");
    }

    /** The field that a problem names. */
    public String field() {
      return json().getString("field", "");
    }
  }

  /** All operations of the contract. */
  List<Operation> operations() {
    return contract.operations();
  }

  public Answer get(String token, String path) {
    return send(token, "GET", path, "");
  }

  public Answer put(String token, String path, JsonObject body, String... headers) {
    return send(token, "PUT", path, body.encode(), headers);
  }

  public Answer post(String token, String path, JsonObject body, String... headers) {
    return send(token, "POST", path, body.encode(), headers);
  }

  public Answer delete(String token, String path) {
    return send(token, "DELETE", path, "");
  }

  /**
   * Sends a request below {@code /admin/v1}.
   *
   * @param token empty for none
   */
  public Answer send(String token, String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + ApiRoute.PREFIX + path))
            .timeout(Duration.ofSeconds(30))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
      check(method, path, response);
      return new Answer(response);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void check(String method, String path, HttpResponse<String> response) {
    String plain = ApiRoute.PREFIX + path.replaceFirst("\\?.*", "");
    Optional<Operation> found =
        contract.operations().stream()
            .filter(it -> it.getHttpMethod().name().equals(method))
            .filter(
                it -> plain.matches(it.getAbsoluteOpenAPIPath().replaceAll("\\{\\w+}", "[^/]+")))
            .findFirst();
    if (found.isEmpty()) {
      if (response.statusCode() < 400) {
        throw new AssertionError(method + " " + plain + " is not in the contract");
      }
      return;
    }
    String type = response.headers().firstValue("content-type").orElse("");
    try {
      validator
          .validate(
              ValidatableResponse.create(
                  response.statusCode(),
                  Buffer.buffer(response.body()),
                  ApiContract.knownType(type)),
              found.get().getOperationId())
          .toCompletionStage()
          .toCompletableFuture()
          .join();
    } catch (RuntimeException e) {
      throw new AssertionError(
          method + " " + plain + " breaks the contract: " + response.body(), e.getCause());
    }
  }
}

package io.weir.server.admin.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.Location;
import io.vertx.openapi.contract.Operation;
import io.weir.control.store.Role;
import io.weir.server.admin.api.ApiClient.Answer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every operation of the contract with every role, without a token and with a wrong one. The table
 * is the contract, so a route that it has and the server lacks fails here, and the other way round.
 */
@Timeout(120)
class RolesTest {
  @TempDir static Path folder;
  private static ApiServer server;

  @BeforeAll
  static void start() {
    server = ApiServer.on(ApiServer.h2(folder), folder);
    server.stores();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @TestFactory
  Stream<DynamicTest> everyOperationWithEveryRole() {
    List<Operation> operations = server.client().operations();
    assertThat(operations).hasSizeGreaterThan(30);
    return operations.stream()
        .flatMap(
            operation ->
                Stream.of(Role.values())
                    .map(
                        role ->
                            DynamicTest.dynamicTest(
                                operation.getOperationId() + " as " + role,
                                () -> asks(operation, role))));
  }

  private static void asks(Operation operation, Role role) {
    Role needed =
        Role.valueOf(
            operation.getExtensions().get("x-weir-role").toString().toUpperCase(Locale.ROOT));
    Answer answer = ask(operation, ApiServer.token(role));
    if (role.compareTo(needed) >= 0) {
      assertThat(answer.status())
          .as("allowed; the route exists: %s", answer.http().body())
          .isNotIn(401, 403, 405, 429, 503);
      assertThat(answer.http().body()).doesNotContain("no such path");
    } else {
      assertThat(answer.status()).isEqualTo(403);
    }
  }

  @TestFactory
  Stream<DynamicTest> everyOperationWithoutAValidToken() {
    return server.client().operations().stream()
        .map(
            operation ->
                DynamicTest.dynamicTest(
                    operation.getOperationId(),
                    () -> {
                      assertThat(ask(operation, "").status()).isEqualTo(401);
                      assertThat(ask(operation, "wrong").status()).isIn(401, 429);
                    }));
  }

  /** A well-formed request from the examples of the contract; it may find nothing to act on. */
  private static Answer ask(Operation operation, String token) {
    String path =
        operation
            .getOpenAPIPath()
            .replace("{id}", "4711")
            .replace("{version}", "4711")
            .replace("{tenant}", "acme");
    String query =
        operation.getParameters().stream()
            .filter(it -> it.getIn() == Location.QUERY && it.isRequired())
            .map(it -> it.getName() + (it.getName().equals("key") ? "=user%3D42" : "=why"))
            .collect(Collectors.joining("&", "?", ""));
    return server
        .client()
        .send(
            token,
            operation.getHttpMethod().name(),
            path + query,
            body(operation),
            "If-Match",
            "\"0\"");
  }

  private static String body(Operation operation) {
    JsonObject body = operation.getOpenAPIModel().getJsonObject("requestBody");
    if (body == null) {
      return "";
    }
    JsonObject content = body.getJsonObject("content");
    Object example =
        content.getJsonObject(content.fieldNames().iterator().next()).getValue("example");
    assertThat(example).as("%s has an example", operation.getOperationId()).isNotNull();
    return example instanceof JsonObject json ? json.encode() : example.toString();
  }

  @TestFactory
  Stream<DynamicTest> everyRouteIsInTheContractWithItsRole() {
    return Stream.of(server)
        .flatMap(it -> it.routes().stream())
        .map(
            route ->
                DynamicTest.dynamicTest(
                    route.operation(),
                    () -> {
                      Operation operation =
                          server.client().operations().stream()
                              .filter(it -> it.getOperationId().equals(route.operation()))
                              .findFirst()
                              .orElseThrow();
                      assertThat(operation.getHttpMethod()).isEqualTo(route.method());
                      assertThat(operation.getOpenAPIPath()).isEqualTo(route.template());
                      assertThat(operation.getExtensions().get("x-weir-role"))
                          .isEqualTo(ApiJson.word(route.role()));
                      assertThat(operation.getRequestBody() != null).isEqualTo(route.maxBody() > 0);
                    }));
  }
}

package io.weir.server.admin.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.validation.ResponseValidator;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract itself. */
@Timeout(120)
class ApiContractTest {
  /** Questions that need a body. */
  private static final Set<String> READS = Set.of("explainCall", "askWhatIf", "suggestLimit");

  @Test
  void isAValidDocument() {
    Vertx vertx = Vertx.vertx();
    try {
      JsonObject json = ApiContract.parse(ApiContract.resource());
      OpenAPIContract contract =
          OpenAPIContract.from(vertx, json).toCompletionStage().toCompletableFuture().join();
      assertThat(contract.operations()).isNotEmpty();
      assertThat(ResponseValidator.create(vertx, contract)).isNotNull();
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  @Test
  void everyOperationHasARoleASummaryAndProblems() {
    JsonObject json = ApiContract.parse(ApiContract.resource());
    for (Operation operation : ApiContract.compile(json).operations()) {
      assertThat(operation.getExtensions().get("x-weir-role"))
          .as(operation.getOperationId())
          .isIn("viewer", "operator", "admin");
      assertThat(operation.getOpenAPIModel().getString("summary")).isNotBlank();
      assertThat(operation.getDefaultResponse()).isNotNull();
    }
  }

  @Test
  void changesNeedAMessage() {
    JsonObject json = ApiContract.parse(ApiContract.resource());
    for (Operation operation : ApiContract.compile(json).operations()) {
      if (operation.getHttpMethod().name().equals("GET")
          || READS.contains(operation.getOperationId())) {
        continue;
      }
      boolean asParameter =
          operation.getParameters().stream()
              .anyMatch(it -> it.getName().equals("message") && it.isRequired());
      boolean inBody = operation.getRequestBody() != null && requiresMessage(operation);
      assertThat(asParameter || inBody).as(operation.getOperationId()).isTrue();
    }
  }

  private static boolean requiresMessage(Operation operation) {
    JsonObject content =
        operation.getOpenAPIModel().getJsonObject("requestBody").getJsonObject("content");
    JsonObject schema =
        content.getJsonObject(content.fieldNames().iterator().next()).getJsonObject("schema");
    return schema.getJsonArray("required", new JsonArray()).contains("message");
  }
}

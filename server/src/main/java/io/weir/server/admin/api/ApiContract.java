package io.weir.server.admin.api;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.SchemaRepository;
import io.vertx.openapi.contract.Location;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.OpenAPIVersion;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.contract.Parameter;
import io.vertx.openapi.contract.impl.OpenAPIContractImpl;
import io.vertx.openapi.validation.RequestValidator;
import io.vertx.openapi.validation.ValidatableRequest;
import io.vertx.openapi.validation.ValidatedRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The contract of the admin API, {@code openapi.yaml}. Reading it takes some hundred milliseconds,
 * so it is read once, on a worker thread, by the first request or by {@link #load}.
 *
 * <p>That the file is a valid OpenAPI document is checked by a test. Checking it here as well would
 * cost more time than all the rest, and needs a folder for temporary files.
 */
final class ApiContract {
  private static final String FILE = "openapi.yaml";

  /**
   * The validator knows few media types. Those of the contract stand under a known one that is read
   * in the same way.
   */
  private static final Map<String, String> KNOWN_TYPES =
      Map.of(
          "application/problem+json", "application/hal+json",
          "application/yaml", "application/octet-stream",
          "text/csv", "application/octet-stream");

  private final Vertx vertx;
  private final String text;
  private @Nullable Future<Loaded> loaded;

  /** The contract when it has been read. */
  private record Loaded(OpenAPIContract contract, RequestValidator validator) {}

  ApiContract(Vertx vertx) {
    this.vertx = vertx;
    this.text = resource();
  }

  static String resource() {
    try (InputStream in = ApiContract.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IllegalStateException(FILE + " is not on the classpath");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The contract as it is served. */
  String text() {
    return text;
  }

  /** Reads the contract unless that has begun already. */
  void load() {
    loaded();
  }

  private synchronized Future<Loaded> loaded() {
    Future<Loaded> loading = loaded;
    if (loading == null) {
      // All of it on the worker thread: a step on an event loop would fail in a server that is
      // closed meanwhile.
      loading = vertx.executeBlocking(this::compiled, false);
      loaded = loading;
    }
    return loading;
  }

  private Loaded compiled() {
    OpenAPIContract contract = compile(parse(text));
    return new Loaded(contract, RequestValidator.create(vertx, contract));
  }

  /**
   * Checks a request against its operation, on a worker thread.
   *
   * @throws ApiProblemException through the future, if a query parameter is unknown
   */
  Future<ValidatedRequest> validate(ValidatableRequest request, String operation) {
    return loaded()
        .compose(
            it -> {
              requireKnown(request.getQuery().keySet(), it.contract().operation(operation));
              return it.validator().validate(request, operation);
            });
  }

  private static void requireKnown(Set<String> names, Operation operation) {
    Set<String> known =
        operation.getParameters().stream()
            .filter(parameter -> parameter.getIn() == Location.QUERY)
            .map(Parameter::getName)
            .collect(Collectors.toSet());
    for (String name : names) {
      if (!known.contains(name)) {
        throw ApiProblemException.badField(name, name + " is not a parameter of this request");
      }
    }
  }

  /** The contract with its references resolved. */
  static OpenAPIContract compile(JsonObject json) {
    SchemaRepository repository =
        SchemaRepository.create(
            new JsonSchemaOptions()
                .setDraft(Draft.DRAFT202012)
                .setBaseUri("app://")
                .setOutputFormat(OutputFormat.Basic));
    repository.dereference(JsonSchema.of(json));
    return new OpenAPIContractImpl(repository.resolve(json), OpenAPIVersion.V3_1, repository);
  }

  /** The contract as JSON, with media types that the validator knows. */
  static JsonObject parse(String text) {
    Object tree = new Load(LoadSettings.builder().build()).loadFromString(text);
    return (JsonObject) withKnownTypes(tree);
  }

  /** The name under which the validator knows a media type. */
  static String knownType(String type) {
    return KNOWN_TYPES.getOrDefault(type, type);
  }

  private static Object withKnownTypes(Object node) {
    if (node instanceof Map<?, ?> map) {
      JsonObject copy = new JsonObject();
      map.forEach((name, value) -> copy.put(knownType(name.toString()), withKnownTypes(value)));
      return copy;
    }
    if (node instanceof List<?> list) {
      JsonArray copy = new JsonArray();
      list.forEach(item -> copy.add(withKnownTypes(item)));
      return copy;
    }
    return node;
  }
}

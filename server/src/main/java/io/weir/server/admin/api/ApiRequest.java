package io.weir.server.admin.api;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.control.ControlStores;
import io.weir.control.audit.Origin;
import io.weir.server.admin.AdminIdentity;
import io.weir.server.config.AdminRole;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A request that fulfils the contract, without the HTTP around it.
 *
 * @param parameters of path, query and header, by name; absent ones have no entry
 * @param body an empty object if there is none
 * @param text the body of a request that is not JSON
 * @param database present if it is open; always present for routes that wait for it
 */
record ApiRequest(
    Map<String, Object> parameters,
    JsonObject body,
    String text,
    AdminIdentity caller,
    String address,
    String correlation,
    Optional<ControlStores> database) {
  private static final int DEFAULT_PAGE = 100;

  /** A text of the body or, for requests without one, of the query. */
  Optional<String> text(String name) {
    Object found = body.getValue(name, parameters.get(name));
    return Optional.ofNullable(found).map(Object::toString);
  }

  /** A text that the contract requires. */
  String required(String name) {
    return text(name).orElseThrow(() -> ApiProblemException.badField(name, name + " is required"));
  }

  Optional<Number> number(String name) {
    Object found = body.getValue(name, parameters.get(name));
    return Optional.ofNullable((Number) found);
  }

  boolean flag(String name) {
    return Boolean.TRUE.equals(body.getValue(name, parameters.get(name)));
  }

  ControlStores stores() {
    return database.orElseThrow();
  }

  /** The id in the path. */
  long id() {
    return number("id").orElseThrow().longValue();
  }

  /** The values of the key in the body. */
  List<String> key() {
    return body.getJsonArray("key", new JsonArray()).stream().map(Object::toString).toList();
  }

  /** How many entries a page has. */
  int pageSize() {
    return number("limit").map(Number::intValue).orElse(DEFAULT_PAGE);
  }

  /** The number that a cursor of an earlier page stands for. */
  long numericCursor(long first) {
    Optional<String> cursor = text("cursor");
    try {
      return cursor.isEmpty() ? first : Long.parseLong(cursor.get());
    } catch (NumberFormatException e) {
      throw ApiProblemException.badField("cursor", "cursor must be the next of an earlier page");
    }
  }

  /** Operators see keys; viewers see their hashes. */
  boolean seesKeys() {
    return caller.role().covers(AdminRole.OPERATOR);
  }

  /** Who changes something, from where and why. */
  Origin origin() {
    return new Origin(caller.label(), address, required("message"), correlation);
  }
}

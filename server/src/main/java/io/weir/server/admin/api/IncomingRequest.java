package io.weir.server.admin.api;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.validation.RequestParameter;
import io.vertx.openapi.validation.ValidatableRequest;
import io.vertx.openapi.validation.ValidatedRequest;
import io.vertx.openapi.validation.impl.RequestParameterImpl;
import io.vertx.openapi.validation.impl.ValidatableRequestImpl;
import io.weir.control.ControlStores;
import io.weir.control.text.StorableText;
import io.weir.http.identity.ClientAddress;
import io.weir.server.admin.AdminIdentity;
import io.weir.server.http.VertxRequestHead;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request as it came, taken from the event loop so that worker threads can read it.
 *
 * @param path the encoded parameters of the path
 * @param ifMatch null without the header
 * @param type the media type as which the body is read
 */
record IncomingRequest(
    Map<String, String> path,
    Map<String, List<String>> query,
    @Nullable String ifMatch,
    String type,
    byte[] body,
    boolean readsBody,
    String address,
    String correlation) {
  private static final String IF_MATCH = "If-Match";
  private static final Pattern CORRELATION = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  static IncomingRequest of(ApiRoute route, HttpServerRequest request, byte[] body) {
    Map<String, List<String>> query = new HashMap<>();
    MultiMap parameters = parameters(request);
    parameters.names().forEach(name -> query.put(name, parameters.getAll(name)));
    return new IncomingRequest(
        route.match(String.valueOf(request.path())).orElseThrow(),
        query,
        request.getHeader(HttpHeaders.IF_MATCH),
        route.bodyType(),
        body,
        route.maxBody() > 0,
        ClientAddress.OF_CONNECTION.of(new VertxRequestHead(request)),
        correlation(request));
  }

  private static MultiMap parameters(HttpServerRequest request) {
    try {
      return request.params();
    } catch (IllegalArgumentException e) {
      return MultiMap.caseInsensitiveMultiMap().add("query", "").add("query", "");
    }
  }

  /** The id that the client gave the request, or one of our own. */
  private static String correlation(HttpServerRequest request) {
    String given = request.getHeader("x-request-id");
    return given != null && CORRELATION.matcher(given).matches()
        ? given
        : HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  }

  /** The form in which the contract checks it. */
  ValidatableRequest validatable() {
    Map<String, RequestParameter> segments = new HashMap<>();
    path.forEach((name, text) -> segments.put(name, storable(name, ApiRoute.decode(name, text))));
    Map<String, RequestParameter> parameters = new HashMap<>();
    query.forEach(
        (name, texts) -> {
          if (texts.size() > 1) {
            throw ApiProblemException.badField(name, name + " is duplicated");
          }
          parameters.put(name, storable(name, texts.get(0)));
        });
    Map<String, RequestParameter> headers =
        ifMatch == null ? Map.of() : Map.of(IF_MATCH, new RequestParameterImpl(ifMatch));
    if (!readsBody) {
      return new ValidatableRequestImpl(Map.of(), headers, segments, parameters);
    }
    if (type.equals(ApiRoute.JSON)) {
      StrictJson.require(body);
    }
    return new ValidatableRequestImpl(
        Map.of(),
        headers,
        segments,
        parameters,
        new RequestParameterImpl(Buffer.buffer(body)),
        ApiContract.knownType(type));
  }

  private static RequestParameter storable(String name, String text) {
    try {
      return new RequestParameterImpl(StorableText.require(name, text));
    } catch (IllegalArgumentException e) {
      throw ApiProblemException.badField(name, String.valueOf(e.getMessage()));
    }
  }

  /** The request as its work reads it. */
  ApiRequest request(
      ValidatedRequest valid, AdminIdentity caller, Optional<ControlStores> database) {
    Map<String, Object> parameters = new HashMap<>();
    for (Map<String, RequestParameter> each :
        List.of(valid.getPathParameters(), valid.getQuery(), valid.getHeaders())) {
      each.forEach(
          (name, parameter) -> {
            if (!parameter.isNull()) {
              parameters.put(name, parameter.get());
            }
          });
    }
    boolean json = type.equals(ApiRoute.JSON) && readsBody;
    return new ApiRequest(
        parameters,
        json ? valid.getBody().getJsonObject() : new JsonObject(),
        json ? "" : new String(body, StandardCharsets.UTF_8),
        caller,
        address,
        correlation,
        database);
  }
}

package io.weir.server.admin.api;

import static io.weir.server.config.AdminRole.ADMIN;
import static io.weir.server.config.AdminRole.VIEWER;

import io.vertx.core.json.JsonObject;
import io.weir.control.audit.AuditEntry;
import io.weir.control.audit.AuditHead;
import io.weir.control.change.ChangeLog.Acceptance;
import io.weir.control.store.Instance;
import io.weir.server.control.StatusOperations;
import java.time.Duration;
import java.util.List;

/** The audit log: its entries, its head, and the acceptance of a log that does not continue. */
final class AuditRoutes implements ApiRoutes {
  private static final Duration WITNESS_AGE = Duration.ofDays(1);

  private final StatusOperations status;

  AuditRoutes(StatusOperations status) {
    this.status = status;
  }

  @Override
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.get("/audit", "listAudit", VIEWER, this::list),
        ApiRoute.get("/audit/head", "getAuditHead", VIEWER, this::head),
        ApiRoute.post("/audit/accept", "acceptLog", ADMIN, this::accept));
  }

  private ApiResponse list(ApiRequest request) {
    int size = request.pageSize();
    long after = request.numericCursor(request.number("after").map(Number::longValue).orElse(0L));
    List<AuditEntry> found = request.stores().audit().after(after, size + 1);
    return ApiResponse.ok(
        ApiJson.page(found, size, AuditRoutes::json, it -> Long.toString(it.seq()))
            .put("log", request.stores().audit().head().log()));
  }

  private ApiResponse head(ApiRequest request) {
    AuditHead head = request.stores().audit().head();
    List<Instance> instances =
        request
            .stores()
            .instances()
            .seenSince(request.stores().database().now().minus(WITNESS_AGE));
    return ApiResponse.ok(
        new JsonObject()
            .put("log", head.log())
            .put("epoch", head.epoch())
            .put("seq", head.seq())
            .put("hash", head.hash())
            .put("instances", ApiJson.list(instances, AuditRoutes::witness)));
  }

  private static JsonObject witness(Instance it) {
    return new JsonObject()
        .put("instance", it.id())
        .put("epoch", it.audit().epoch())
        .put("seq", it.audit().seq())
        .put("hash", it.audit().hash())
        .put("last_seen", it.lastSeen().toString());
  }

  private ApiResponse accept(ApiRequest request) {
    String hash = request.required("head");
    if (request.flag("local")) {
      AuditHead head = request.stores().audit().head();
      if (!head.hash().equals(hash)) {
        throw otherHead(head);
      }
      status.acceptLog(hash);
      return ApiResponse.ok(new JsonObject().put("accepted", true).put("epoch", null));
    }
    Acceptance result = request.stores().changes().accept(hash, request.origin());
    if (result instanceof Acceptance.Accepted it) {
      return ApiResponse.ok(new JsonObject().put("accepted", true).put("epoch", it.epoch()));
    }
    throw otherHead(((Acceptance.OtherHead) result).head());
  }

  private static ApiProblemException otherHead(AuditHead head) {
    return ApiProblemException.conflict(
        "other_head", "the head of the log is " + head.hash() + " (" + head.seq() + ")");
  }

  private static JsonObject json(AuditEntry it) {
    return new JsonObject()
        .put("seq", it.seq())
        .put("epoch", it.epoch())
        .put("at", it.at().toString())
        .put("actor", it.origin().actor())
        .put("address", it.origin().address())
        .put("action", it.record().action())
        .put("target", it.record().target())
        .put("before", it.record().before())
        .put("after", it.record().after())
        .put("message", it.origin().message())
        .put("correlation", it.origin().correlation())
        .put("previous", it.previous())
        .put("hash", it.hash())
        .put("signer", it.signer())
        .put("signature", it.signature());
  }
}

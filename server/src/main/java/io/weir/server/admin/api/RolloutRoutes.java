package io.weir.server.admin.api;

import static io.weir.server.config.AdminRole.ADMIN;
import static io.weir.server.config.AdminRole.OPERATOR;
import static io.weir.server.config.AdminRole.VIEWER;

import io.weir.server.control.RuleOperations;
import io.weir.server.control.RuleOperations.RolloutAction;
import io.weir.server.control.RuleOperations.RolloutOutcome;
import java.util.List;

/** Rollouts: what they do, and what people do to them. */
final class RolloutRoutes implements ApiRoutes {
  private final RuleOperations rules;

  RolloutRoutes(RuleOperations rules) {
    this.rules = rules;
  }

  @Override
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.get("/rollouts", "listRollouts", VIEWER, this::list),
        ApiRoute.get("/rollouts/{id}", "getRollout", VIEWER, this::get),
        action("advance", "advanceRollout", RolloutAction.ADVANCE),
        action("hold", "holdRollout", RolloutAction.HOLD),
        action("resume", "resumeRollout", RolloutAction.RESUME),
        action("rollback", "rollBackRollout", RolloutAction.ROLLBACK),
        ApiRoute.post("/rollouts/{id}/verdict", "judgeRollout", OPERATOR, this::judge));
  }

  private ApiRoute action(String verb, String operation, RolloutAction action) {
    return ApiRoute.post(
        "/rollouts/{id}/" + verb, operation, ADMIN, request -> act(request, action));
  }

  private ApiResponse list(ApiRequest request) {
    int size = request.pageSize();
    return ApiResponse.ok(
        ApiJson.page(
            request.stores().rollouts().list(request.numericCursor(Long.MAX_VALUE), size + 1),
            size,
            ApiJson::rollout,
            it -> Long.toString(it.id())));
  }

  private ApiResponse get(ApiRequest request) {
    return ApiResponse.ok(
        request
            .stores()
            .rollouts()
            .find(request.id())
            .map(ApiJson::rollout)
            .orElseThrow(RolloutRoutes::unknown));
  }

  private ApiResponse judge(ApiRequest request) {
    boolean good = request.required("verdict").equals("good");
    return act(request, good ? RolloutAction.VERDICT_GOOD : RolloutAction.VERDICT_BAD);
  }

  private ApiResponse act(ApiRequest request, RolloutAction action) {
    RolloutOutcome outcome = rules.act(request.id(), action, request.origin());
    if (outcome instanceof RolloutOutcome.Moved it) {
      return ApiResponse.ok(ApiJson.rollout(it.rollout()));
    }
    if (outcome instanceof RolloutOutcome.NotNow it) {
      throw ApiProblemException.conflict("not_now", it.reason());
    }
    throw unknown();
  }

  private static ApiProblemException unknown() {
    return ApiProblemException.notFound("no rollout has this id");
  }
}

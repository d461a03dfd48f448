package io.weir.server.admin.api;

import static io.weir.server.config.AdminRole.ADMIN;
import static io.weir.server.config.AdminRole.VIEWER;

import io.vertx.core.json.JsonObject;
import io.weir.control.store.Version;
import io.weir.control.store.VersionSummary;
import io.weir.server.control.RuleOperations;
import io.weir.server.control.RuleOperations.Intent;
import io.weir.server.control.RuleOperations.PublishOutcome;
import io.weir.server.control.RuleOperations.PublishRequest;
import io.weir.server.control.RuleOperations.RepublishRequest;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rules: the text in force, publishing, history and rollback. */
final class VersionRoutes implements ApiRoutes {
  private static final Pattern IF_MATCH = Pattern.compile("\"?([0-9]{1,18})\"?");

  private final RuleOperations rules;

  VersionRoutes(RuleOperations rules) {
    this.rules = rules;
  }

  @Override
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.get("/rules", "getRules", VIEWER, this::current),
        ApiRoute.put("/rules", "publishRules", ADMIN, this::publish).maxBody(ApiRoute.MAX_RULES),
        ApiRoute.get("/rules/versions", "listVersions", VIEWER, this::history),
        ApiRoute.get("/rules/versions/{version}", "getVersion", VIEWER, this::version),
        ApiRoute.post("/rules/rollback", "rollBackRules", ADMIN, this::rollBack),
        ApiRoute.post("/rollouts", "startRollout", ADMIN, this::startRollout));
  }

  private ApiResponse current(ApiRequest request) {
    long newest = request.stores().versions().newest();
    long active = request.stores().rollouts().active().version();
    JsonObject body =
        request
            .stores()
            .versions()
            .find(newest)
            .map(it -> version(it, active))
            .orElseGet(VersionRoutes::none);
    return ApiResponse.ok(body).version(newest);
  }

  private ApiResponse version(ApiRequest request) {
    long number = request.number("version").orElseThrow().longValue();
    long active = request.stores().rollouts().active().version();
    return ApiResponse.ok(
        request
            .stores()
            .versions()
            .find(number)
            .map(it -> version(it, active))
            .orElseThrow(() -> ApiProblemException.notFound("no version has this number")));
  }

  private ApiResponse history(ApiRequest request) {
    int size = request.pageSize();
    long active = request.stores().rollouts().active().version();
    List<VersionSummary> found =
        request.stores().versions().history(request.numericCursor(Long.MAX_VALUE), size + 1);
    return ApiResponse.ok(
        ApiJson.page(found, size, it -> summary(it, active), it -> Long.toString(it.number())));
  }

  private ApiResponse publish(ApiRequest request) {
    SortedMap<String, String> files = new TreeMap<>();
    request
        .body()
        .getJsonObject("files")
        .forEach(it -> files.put(it.getKey(), (String) it.getValue()));
    boolean dryRun = request.flag("dry_run");
    PublishRequest publish =
        new PublishRequest(
            files, request.flag("only_file"), intent(request), expected(request, dryRun));
    return answer(
        request, dryRun ? rules.check(publish) : rules.publish(publish, request.origin()));
  }

  private ApiResponse rollBack(ApiRequest request) {
    OptionalLong to =
        request
            .number("to")
            .map(it -> OptionalLong.of(it.longValue()))
            .orElse(OptionalLong.empty());
    return republish(request, to);
  }

  private ApiResponse startRollout(ApiRequest request) {
    return republish(request, OptionalLong.of(request.number("version").orElseThrow().longValue()));
  }

  private ApiResponse republish(ApiRequest request, OptionalLong version) {
    RepublishRequest publish =
        new RepublishRequest(version, intent(request), expected(request, false).getAsLong());
    return answer(request, rules.republish(publish, request.origin()));
  }

  private static Intent intent(ApiRequest request) {
    JsonObject expect = request.body().getJsonObject("expect", new JsonObject());
    return new Intent(
        request.text("plan").orElse("now"),
        Optional.ofNullable(expect.getString("refused_keys")),
        request.text("fail_if_refused_over"));
  }

  /** The version that {@code If-Match} names. */
  private static OptionalLong expected(ApiRequest request, boolean optional) {
    Optional<String> header = request.text("If-Match");
    if (header.isEmpty() && optional) {
      return OptionalLong.empty();
    }
    Matcher matcher =
        IF_MATCH.matcher(header.orElseThrow(ApiProblemException::needsIfMatch).strip());
    if (!matcher.matches()) {
      throw ApiProblemException.badField("If-Match", "If-Match must be a version such as \"7\"");
    }
    return OptionalLong.of(Long.parseLong(matcher.group(1)));
  }

  private static ApiResponse answer(ApiRequest request, PublishOutcome outcome) {
    if (outcome instanceof PublishOutcome.Published it) {
      JsonObject body =
          publication(it.version().number(), true)
              .put("changes", ApiJson.list(it.changes(), ApiJson::change))
              .put("warnings", ApiJson.list(it.warnings(), ApiJson::problem))
              .put("whatif", ApiJson.stored(it.whatIf()))
              .put("rollout", ApiJson.rollout(it.rollout()));
      return ApiResponse.ok(body).version(it.version().number());
    }
    if (outcome instanceof PublishOutcome.Checked it) {
      long newest = request.stores().versions().newest();
      JsonObject body =
          publication(newest, false)
              .put("changes", ApiJson.list(it.changes(), ApiJson::change))
              .put("warnings", ApiJson.list(it.warnings(), ApiJson::problem))
              .put("whatif", ApiJson.stored(it.whatIf()));
      return ApiResponse.ok(body).version(newest);
    }
    if (outcome instanceof PublishOutcome.Unchanged it) {
      return ApiResponse.ok(publication(it.version(), false)).version(it.version());
    }
    throw refusal(outcome);
  }

  private static JsonObject publication(long version, boolean published) {
    return new JsonObject()
        .put("version", version)
        .put("published", published)
        .put("changes", List.of())
        .put("warnings", List.of())
        .put("whatif", null)
        .put("rollout", null);
  }

  private static ApiProblemException refusal(PublishOutcome outcome) {
    if (outcome instanceof PublishOutcome.Stale it) {
      return ApiProblemException.conflict(
              "stale", "the newest version is " + it.newest() + "; read it and decide again")
          .with("current_version", it.newest());
    }
    if (outcome instanceof PublishOutcome.NotHere it) {
      return ApiProblemException.conflict("managed_outside", it.reason());
    }
    if (outcome instanceof PublishOutcome.Invalid it) {
      String first = it.problems().isEmpty() ? "" : ": " + it.problems().get(0);
      return ApiProblemException.refused("invalid", "the rules are invalid" + first)
          .with("problems", ApiJson.list(it.problems(), ApiJson::problem));
    }
    if (outcome instanceof PublishOutcome.Refused it) {
      ApiProblemException problem = ApiProblemException.refused(it.code(), it.reason());
      Object whatIf = ApiJson.stored(it.whatIf());
      return whatIf == null ? problem : problem.with("whatif", whatIf);
    }
    if (outcome instanceof PublishOutcome.UnknownVersion it) {
      return ApiProblemException.notFound("no version has the number " + it.version());
    }
    throw new IllegalStateException("not a refusal: " + outcome);
  }

  private static JsonObject summary(VersionSummary it, long active) {
    return new JsonObject()
        .put("version", it.number())
        .put("parent", it.parent())
        .put("author", it.author())
        .put("message", it.message())
        .put("created", it.created().toString())
        .put("sha256", it.sha256())
        .put("active", it.number() == active);
  }

  private static JsonObject version(Version it, long active) {
    JsonObject files = new JsonObject();
    it.files().forEach(files::put);
    return new JsonObject()
        .put("version", it.number())
        .put("parent", it.parent())
        .put("author", it.author())
        .put("message", it.message())
        .put("created", it.created().toString())
        .put("sha256", it.sha256())
        .put("active", it.number() == active)
        .put("files", files)
        .put("whatif", ApiJson.stored(it.whatIf()))
        .put("expect", ApiJson.stored(it.expectation()));
  }

  /** Stands for the newest version where there is none. */
  private static JsonObject none() {
    return new JsonObject()
        .put("version", 0)
        .put("parent", 0)
        .put("author", "")
        .put("message", "")
        .put("created", null)
        .put("sha256", "")
        .put("active", false)
        .put("files", new JsonObject())
        .put("whatif", null)
        .put("expect", null);
  }
}

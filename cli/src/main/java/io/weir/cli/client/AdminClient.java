package io.weir.cli.client;

import io.weir.cli.client.ServerClient.Request;
import io.weir.cli.client.ServerClient.Response;
import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Client of the admin API. A refusal ends the command with 1, any other failure with 2. */
public final class AdminClient {
  private static final String ROOT = "/admin/v1";
  private static final int UNAUTHORIZED = 401;

  /** Not found, conflict, and a document or value that is refused. */
  private static final Set<Integer> REFUSALS = Set.of(404, 409, 422);

  private final ServerClient server;

  AdminClient(ServerClient server) {
    this.server = server;
  }

  /** A value for the query or the path of a request. */
  public static String encode(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
  }

  public JsonMap get(String path) {
    return answer(send(Request.of("GET", ROOT + path)));
  }

  /** Sends a change with a JSON body. */
  public JsonMap change(String method, String path, JsonMap body) {
    return answer(send(Request.json(method, ROOT + path, body)));
  }

  /** Sends a change of the rules, by an author who has seen this version. */
  public JsonMap change(String method, String path, JsonMap body, long version) {
    return answer(send(Request.json(method, ROOT + path, body).ifMatch(version)));
  }

  /** Removes something; the reason is part of the query. */
  public JsonMap delete(String path) {
    return answer(send(Request.of("DELETE", ROOT + path)));
  }

  /** Posts a table. */
  public JsonMap postCsv(String path, String csv) {
    return answer(send(new Request("POST", ROOT + path, "text/csv", csv, "")));
  }

  /** The items of all pages of a list. */
  public List<JsonMap> list(String path) {
    return list(path, Integer.MAX_VALUE);
  }

  /** The first items of a list, at most this many. */
  public List<JsonMap> list(String path, int most) {
    List<JsonMap> items = new ArrayList<>();
    String separator = path.contains("?") ? "&" : "?";
    JsonMap page = get(path);
    items.addAll(page.maps("items"));
    while (page.has("next") && items.size() < most) {
      page = get(path + separator + "cursor=" + encode(page.text("next")));
      items.addAll(page.maps("items"));
    }
    return items.size() > most ? items.subList(0, most) : items;
  }

  private Response send(Request request) {
    return server.send(request);
  }

  private JsonMap answer(Response response) {
    if (response.status() == UNAUTHORIZED) {
      throw new CommandException(
          server.server()
              + " needs a valid token: --token, WEIR_TOKEN or WEIR_TOKEN_FILE (the server prints one"
              + " at start if none is configured)");
    }
    JsonMap answer = server.json(response);
    if (response.isOk()) {
      return answer;
    }
    List<String> lines = reasons(response.status(), answer);
    throw REFUSALS.contains(response.status())
        ? CommandException.refused(lines)
        : new CommandException(lines);
  }

  private static List<String> reasons(int status, JsonMap problem) {
    List<String> lines = new ArrayList<>();
    lines.add(problem.has("detail") ? problem.text("detail") : status + ": " + problem.compact());
    if (problem.has("problems")) {
      for (JsonMap one : problem.maps("problems")) {
        String line = one.number("line") == 0 ? "" : ":" + one.number("line");
        lines.add(one.text("file") + line + ": " + one.text("reason"));
      }
    }
    return lines;
  }
}

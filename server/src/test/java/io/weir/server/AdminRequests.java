package io.weir.server;

import io.weir.http.identity.Sha256;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;

/** Requests to the admin port, and whom it lets in. */
final class AdminRequests {
  private AdminRequests() {}

  static AdminSettings.Token token(String text, AdminRole role) {
    return new AdminSettings.Token(Sha256.hex(text), role, Instant.MAX);
  }

  static FrontEnd tokens(boolean metricsNeedToken, AdminSettings.Token... tokens) {
    return FrontEnd.DEFAULT.admin(new AdminSettings(List.of(tokens), metricsNeedToken));
  }

  static HttpResponse<String> ask(TestServer server, String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://" + server.server.admin() + path));
    return server.send(headers.length == 0 ? request : request.headers(headers));
  }

  static HttpResponse<String> askWith(TestServer server, String token) {
    return ask(server, AdminPort.HOT_KEYS, "Authorization", "Bearer " + token);
  }
}

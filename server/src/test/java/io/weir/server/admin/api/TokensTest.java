package io.weir.server.admin.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.control.ControlStores;
import io.weir.control.audit.Origin;
import io.weir.control.store.Role;
import io.weir.server.admin.AdminAuth;
import io.weir.server.admin.api.ApiClient.Answer;
import io.weir.server.config.AdminSettings;
import io.weir.time.SystemTime;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tokens made by the API, beside those that are configured. */
@Timeout(120)
class TokensTest {
  private static final String ADMIN = "test-admin";

  @TempDir Path folder;

  private ControlStores open() {
    return ControlStores.open(
        ApiServer.h2(folder), SystemTime.INSTANCE, folder.resolve("key"), "api");
  }

  private static JsonObject token(String role, String label) {
    return new JsonObject().put("role", role).put("label", label).put("message", "for tests");
  }

  @Test
  void aStoredTokenHasItsRoleAndNamesItsChanges() {
    try (ApiServer server = ApiServer.on(this::open)) {
      ApiClient api = server.client();
      Answer made = api.post(ADMIN, "/tokens", token("admin", "anna").put("expires", "90d"));
      String text = made.json().getString("token");
      assertThat(
              api.put(
                      text,
                      "/tenants/acme",
                      new JsonObject().put("tier", "free").put("message", "deal"))
                  .status())
          .isEqualTo(200);
      JsonObject entry = api.get(text, "/audit?after=2").items().getJsonObject(0);
      assertThat(entry.getString("actor")).isEqualTo("anna");
      assertThat(entry.getString("message")).isEqualTo("deal");

      Answer list = api.get(ADMIN, "/tokens");
      assertThat(list.http().body()).doesNotContain(text);
      await()
          .until(
              () ->
                  api.get(ADMIN, "/tokens").items().getJsonObject(0).getString("last_used")
                      != null);
      assertThat(api.delete(ADMIN, "/tokens/1?message=left").status()).isEqualTo(200);
      assertThat(api.get(text, "/status").status()).isEqualTo(401);
      assertThat(api.get(ADMIN, "/tokens").items().getJsonObject(0).getBoolean("revoked")).isTrue();
      assertThat(api.delete(ADMIN, "/tokens/1?message=left").status()).isEqualTo(404);
    }
  }

  @Test
  void theLastUseIsNotedAtMostOnceAMinute() {
    try (ApiServer server = ApiServer.on(this::open)) {
      ApiClient api = server.client();
      String text = api.post(ADMIN, "/tokens", token("viewer", "bob")).json().getString("token");
      api.get(text, "/status");
      await().until(() -> server.stores().tokens().list().get(0).lastUsed().isPresent());
      Optional<?> first = server.stores().tokens().list().get(0).lastUsed();
      for (int i = 0; i < 20; i++) {
        api.get(text, "/status");
      }
      assertThat(server.stores().tokens().list().get(0).lastUsed()).isEqualTo(first);
    }
  }

  @Test
  void theLastAdminTokenStaysUnlessOneIsConfigured() {
    String text;
    try (ControlStores stores = open()) {
      Origin origin = new Origin("test", "", "first", "");
      text = stores.tokens().create(Role.ADMIN, "root", Optional.empty(), origin).text();
    }
    AdminSettings none = new AdminSettings(List.of(), false);
    try (ApiServer server = ApiServer.on(this::open, none)) {
      server.stores();
      ApiClient api = server.client();
      Answer last = api.delete(text, "/tokens/1?message=oops");
      assertThat(last.status()).isEqualTo(409);
      assertThat(last.json().getString("code")).isEqualTo("last_admin");
      api.post(text, "/tokens", token("admin", "second"));
      assertThat(api.delete(text, "/tokens/1?message=now").status()).isEqualTo(200);
    }
  }

  @Test
  void aTokenIsGeneratedOnlyWithoutAKnownAdminToken() {
    AdminSettings none = new AdminSettings(List.of(), false);
    try (ControlStores stores = open()) {
      Origin origin = new Origin("test", "", "first", "");
      assertThat(auth(none, stores).generatedToken()).isPresent();
      stores.tokens().create(Role.VIEWER, "viewer", Optional.empty(), origin);
      assertThat(auth(none, stores).generatedToken()).isPresent();
      long id = stores.tokens().create(Role.ADMIN, "a", Optional.empty(), origin).token().id();
      assertThat(auth(none, stores).generatedToken()).isEmpty();
      stores.tokens().revoke(id, true, origin);
      assertThat(auth(none, stores).generatedToken()).isPresent();
      assertThat(auth(ApiServer.configured(), stores).generatedToken()).isEmpty();
    }
  }

  private static AdminAuth auth(AdminSettings settings, ControlStores stores) {
    return new AdminAuth(settings, stores.tokens()::list, token -> {}, SystemTime.INSTANCE);
  }
}

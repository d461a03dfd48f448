package io.weir.server.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weir.http.identity.Sha256;
import io.weir.server.config.CallerSettings;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.TlsSettings;
import io.weir.server.fixture.TestServer;
import io.weir.testkit.process.TlsFiles;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CallerAuthTest {
  private static final String RULE = "{ id: a, key: [ip], limit: 100/h }";
  private static TlsFiles files;

  @BeforeAll
  static void makeCertificates() {
    files = TlsFiles.create();
  }

  @AfterAll
  static void deleteCertificates() {
    files.close();
  }

  private static FrontEndSettings tokens(String... tokens) {
    Set<String> hashes =
        java.util.Arrays.stream(tokens)
            .map(Sha256::hex)
            .collect(java.util.stream.Collectors.toSet());
    return FrontEndSettings.DEFAULT.callers(new CallerSettings(hashes, Optional.empty(), Set.of()));
  }

  private static FrontEndSettings tls(CallerSettings callers) {
    return FrontEndSettings.DEFAULT
        .tls(new TlsSettings(files.serverCertificate(), files.serverKey(), TlsSettings.ALL))
        .callers(callers);
  }

  private static CallerSettings certificates(String... names) {
    return new CallerSettings(Set.of(), Optional.of(files.ca()), Set.of(names));
  }

  private static int check(TestServer server, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri("/v1/check"))
            .POST(HttpRequest.BodyPublishers.ofString("{}"));
    return server.send(headers.length == 0 ? request : request.headers(headers)).statusCode();
  }

  @Test
  void requiresAToken() {
    try (TestServer server = TestServer.with(tokens("one", "two"), RULE)) {
      assertThat(check(server, "Authorization", "Bearer one")).isEqualTo(200);
      assertThat(check(server, "Authorization", "bearer  two")).isEqualTo(200);
      assertThat(check(server, "X-Weir-Token", "two")).isEqualTo(200);
      assertThat(check(server, "X-Weir-Token", "one", "Authorization", "Bearer client"))
          .isEqualTo(200);
      assertThat(check(server)).isEqualTo(401);
      assertThat(check(server, "Authorization", "Bearer three")).isEqualTo(401);
      assertThat(check(server, "Authorization", "Basic one")).isEqualTo(401);
      assertThat(check(server, "Authorization", "Bearer " + Sha256.hex("one"))).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/v1/limits", "/v1/authorize", "/v1/check", "/ratelimit/check", "/nowhere"})
  void refusesEveryPathWithoutAToken(String path) {
    try (TestServer server = TestServer.with(tokens("one"), RULE)) {
      HttpResponse<String> answer = server.get(path);

      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(answer.headers().firstValue("www-authenticate")).hasValue("Bearer");
      assertThat(answer.headers().firstValue("content-type")).hasValue("application/problem+json");
    }
  }

  @Test
  void answersHealthWithoutAToken() {
    try (TestServer server = TestServer.with(tokens("one"), RULE)) {
      assertThat(server.get("/healthz").statusCode()).isEqualTo(200);
      assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
      assertThat(server.admin("/metrics").statusCode()).isEqualTo(200);
    }
  }

  private static HttpResponse<String> secure(TestServer server, SSLContext context, String path)
      throws IOException, InterruptedException {
    boolean admin = path.equals("/metrics");
    URI uri =
        URI.create("https://" + (admin ? server.server.admin() : server.server.http()) + path);
    return HttpClient.newBuilder()
        .sslContext(context)
        .build()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void usesTlsOnAllPorts() throws Exception {
    try (TestServer server = TestServer.with(tls(CallerSettings.ANYONE), RULE)) {
      HttpResponse<String> data = secure(server, files.strangerContext(), "/v1/limits");
      HttpResponse<String> admin = secure(server, files.strangerContext(), "/metrics");

      assertThat(data.statusCode()).isEqualTo(200);
      assertThat(data.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(admin.statusCode()).isEqualTo(200);
      assertThat(server.server.isSecured("http")).isTrue();
      assertThatThrownBy(() -> server.get("/healthz"))
          .isInstanceOf(java.io.UncheckedIOException.class);
    }
  }

  @Test
  void requiresAClientCertificate() throws Exception {
    try (TestServer server = TestServer.with(tls(certificates()), RULE);
        TlsFiles others = TlsFiles.create()) {
      assertThat(secure(server, files.clientContext(), "/v1/limits").statusCode()).isEqualTo(200);
      assertThat(secure(server, files.strangerContext(), "/v1/limits").statusCode()).isEqualTo(401);
      assertThat(secure(server, files.strangerContext(), "/healthz").statusCode()).isEqualTo(200);
      assertThat(secure(server, files.strangerContext(), "/metrics").statusCode()).isEqualTo(200);
      assertThatThrownBy(() -> secure(server, others.clientContext(), "/v1/limits"))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void requiresAnAcceptedCertificateName() throws Exception {
    try (TestServer named = TestServer.with(tls(certificates("other", "weir")), RULE);
        TestServer other = TestServer.with(tls(certificates("other")), RULE)) {
      assertThat(secure(named, files.clientContext(), "/v1/limits").statusCode()).isEqualTo(200);
      assertThat(secure(other, files.clientContext(), "/v1/limits").statusCode()).isEqualTo(401);
    }
  }

  @Test
  void reloadsRenewedCertificates(@TempDir Path folder) throws Exception {
    Path certificate = Files.copy(files.serverCertificate(), folder.resolve("c.pem"));
    Path key = Files.copy(files.serverKey(), folder.resolve("k.pem"));
    FrontEndSettings front =
        FrontEndSettings.DEFAULT.tls(new TlsSettings(certificate, key, Set.of("http")));
    try (TestServer server =
            TestServer.with(config -> config.frontEnd(front), Duration.ofMillis(20), RULE);
        TlsFiles renewed = TlsFiles.create()) {
      assertThat(secure(server, files.strangerContext(), "/healthz").statusCode()).isEqualTo(200);
      Files.copy(renewed.serverKey(), key, StandardCopyOption.REPLACE_EXISTING);
      Files.copy(renewed.serverCertificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
      Files.setLastModifiedTime(certificate, FileTime.fromMillis(0));

      await()
          .atMost(Duration.ofSeconds(20))
          .ignoreExceptions()
          .until(() -> secure(server, renewed.strangerContext(), "/healthz").statusCode() == 200);
      assertThat(secure(server, renewed.strangerContext(), "/healthz").version())
          .isEqualTo(HttpClient.Version.HTTP_2);
      Files.writeString(certificate, "nonsense");
      await()
          .during(Duration.ofMillis(500))
          .until(() -> secure(server, renewed.strangerContext(), "/healthz").statusCode() == 200);
    }
  }

  @Test
  void reloadsARenewedAuthority(@TempDir Path folder) throws Exception {
    try (TlsFiles renewed = TlsFiles.create()) {
      Path authority = Files.copy(files.ca(), folder.resolve("ca.pem"));
      FrontEndSettings front =
          FrontEndSettings.DEFAULT
              .tls(
                  new TlsSettings(
                      renewed.serverCertificate(), renewed.serverKey(), TlsSettings.ALL))
              .callers(new CallerSettings(Set.of(), Optional.of(authority), Set.of()));
      try (TestServer server =
          TestServer.with(config -> config.frontEnd(front), Duration.ofMillis(20), RULE)) {
        assertThat(secure(server, renewed.strangerContext(), "/v1/limits").statusCode())
            .isEqualTo(401);
        assertThatThrownBy(() -> secure(server, renewed.clientContext(), "/v1/limits"))
            .isInstanceOf(IOException.class);
        Files.copy(renewed.ca(), authority, StandardCopyOption.REPLACE_EXISTING);
        Files.setLastModifiedTime(authority, FileTime.fromMillis(0));

        await()
            .atMost(Duration.ofSeconds(20))
            .ignoreExceptions()
            .until(() -> secure(server, renewed.clientContext(), "/v1/limits").statusCode() == 200);
      }
    }
  }
}

package io.weir.server.admin;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.Route;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * {@code /ui/}: serves the pages of the web console.
 *
 * <p>A browser cannot send a token when it opens a page, so the pages are public and contain no
 * data. They fetch all data from the admin API, with the token of the signed-in user. Only the
 * files listed here are served, by their exact paths, all from this server. The content security
 * policy allows only these scripts, and connections to this server only.
 */
public final class ConsolePages {
  public static final String PATH = "/ui/";

  private static final String FOLDER = "console/";
  private static final String PAGE = "index.html";
  private static final List<String> FILES =
      List.of(
          "api.js",
          "console.css",
          "console.js",
          "hot-keys.js",
          "icon.svg",
          "look.js",
          "names.js",
          "overview.js",
          "poll.js",
          "scroller.js",
          "sign-in.js",
          "words.js");

  /** Library files that the pages import, by the folder of each WebJar. */
  private static final Map<String, List<String>> LIBRARIES =
      Map.of(
          "lit", List.of("index.js"),
          "lit-html", List.of("lit-html.js", "is-server.js"),
          "lit-element", List.of("lit-element.js"),
          "lit__reactive-element", List.of("reactive-element.js", "css-tag.js"));

  private static final String MAP_BEGINS = "<script type=\"importmap\">";
  private static final String MAP_ENDS = "</script>";

  private final Map<String, Route> routes = new HashMap<>();
  private final String policy;

  /** One file, ready to send. */
  private record ConsoleFile(String type, Buffer bytes) {}

  public ConsolePages() {
    byte[] page = own(PAGE);
    this.policy = policy(new String(page, StandardCharsets.UTF_8));
    add(PATH, PAGE, page);
    FILES.forEach(file -> add(PATH + file, file, own(file)));
    Properties versions = versions();
    LIBRARIES.forEach(
        (library, files) -> {
          String folder =
              "/META-INF/resources/webjars/" + library + "/" + versions.getProperty(library) + "/";
          for (String file : files) {
            add(PATH + "lib/" + library + "/" + file, file, read(folder + file));
          }
        });
    routes.put("/ui", Route.get(this::redirect).withoutAuth());
  }

  /** The routes of all files, without authentication. */
  public Map<String, Route> routes() {
    return Map.copyOf(routes);
  }

  private void add(String path, String file, byte[] bytes) {
    ConsoleFile served = new ConsoleFile(type(file), Buffer.buffer(bytes));
    routes.put(path, Route.get((exchange, body) -> send(exchange, served)).withoutAuth());
  }

  private static String type(String file) {
    return switch (file.substring(file.lastIndexOf('.') + 1)) {
      case "html" -> "text/html; charset=utf-8";
      case "css" -> "text/css; charset=utf-8";
      case "svg" -> "image/svg+xml";
      default -> "text/javascript; charset=utf-8";
    };
  }

  private void send(HttpExchange exchange, ConsoleFile file) {
    guard(exchange.request().response());
    exchange.answerFile(file.type(), file.bytes());
  }

  /** {@code /}: redirects browsers to the console; other clients get 404 with the paths. */
  public void root(HttpExchange exchange, byte[] body) {
    String accepted = exchange.request().getHeader(HttpHeaders.ACCEPT);
    if (accepted == null || !accepted.contains("text/html")) {
      throw HttpProblemException.notFound(
          "there is nothing at this path; the console is at " + PATH + ", metrics at /metrics");
    }
    HttpServerResponse response = exchange.request().response();
    guard(response);
    response.putHeader(HttpHeaders.LOCATION, PATH);
    exchange.answerPlain(302, PATH);
  }

  private void redirect(HttpExchange exchange, byte[] body) {
    HttpServerResponse response = exchange.request().response();
    guard(response);
    response.putHeader(HttpHeaders.LOCATION, PATH);
    exchange.answerPlain(308, PATH);
  }

  /** Sets the security headers. */
  private void guard(HttpServerResponse response) {
    response
        .putHeader("content-security-policy", policy)
        .putHeader("x-content-type-options", "nosniff")
        .putHeader("x-frame-options", "DENY")
        .putHeader("referrer-policy", "no-referrer")
        .putHeader("cross-origin-opener-policy", "same-origin")
        .putHeader("cross-origin-resource-policy", "same-origin")
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache");
  }

  /**
   * The only inline script that is allowed is the import map, by its hash: it locates the
   * libraries, and browsers do not load it from a file. Only Lit may create markup (trusted types).
   */
  private static String policy(String page) {
    int begin = page.indexOf(MAP_BEGINS) + MAP_BEGINS.length();
    String map = page.substring(begin, page.indexOf(MAP_ENDS, begin));
    return "default-src 'none'; script-src 'self' 'sha256-"
        + sha256(map)
        + "'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none';"
        + " form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script';"
        + " trusted-types lit-html";
  }

  private static String sha256(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return Base64.getEncoder()
          .encodeToString(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  private static Properties versions() {
    Properties versions = new Properties();
    try (InputStream in = open(FOLDER + "libraries.properties")) {
      versions.load(in);
      return versions;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] own(String file) {
    return read(FOLDER + file);
  }

  private static byte[] read(String resource) {
    try (InputStream in = open(resource)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static InputStream open(String resource) {
    @Nullable InputStream in = ConsolePages.class.getResourceAsStream(resource);
    if (in == null) {
      throw new IllegalStateException("this build of Weir lacks " + resource);
    }
    return in;
  }
}

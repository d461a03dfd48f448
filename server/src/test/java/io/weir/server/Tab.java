package io.weir.server;

import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.testkit.process.ChromiumBrowser;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A tab of a real browser, spoken to over the DevTools protocol, and what the browser objects to.
 */
final class Tab implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 30;

  /** The text on the page as it is read, also inside of components. */
  private static final String TEXT =
      """
      (function read(node) {
        if (node.nodeType === Node.TEXT_NODE) return node.data;
        if (node.localName === 'style') return '';
        if (node.localName === 'slot') return node.assignedNodes().map(read).join(' ');
        return [...(node.shadowRoot ?? node).childNodes].map(read).join(' ');
      })(document.body).replace(/\\s+/g, ' ').trim()
      """;

  private final WebSocket socket;
  private final AtomicInteger ids = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonObject>> waiting = new ConcurrentHashMap<>();
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private String session = "";

  private Tab(ChromiumBrowser browser) {
    this.socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .buildAsync(browser.devTools(), new Ear())
            .join();
  }

  /** Puts messages together from their parts. */
  private final class Ear implements WebSocket.Listener {
    private final StringBuilder heard = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
      heard.append(part);
      if (last) {
        String message = heard.toString();
        heard.setLength(0);
        hear(new JsonObject(message));
      }
      from.request(1);
      return CompletableFuture.completedStage(null);
    }
  }

  /** A tab that shares nothing with those before it. */
  static Tab in(ChromiumBrowser browser) {
    Tab tab = new Tab(browser);
    String context =
        tab.tell("Target.createBrowserContext", new JsonObject()).getString("browserContextId");
    JsonObject create = new JsonObject().put("url", "about:blank").put("browserContextId", context);
    String target = tab.tell("Target.createTarget", create).getString("targetId");
    JsonObject attach = new JsonObject().put("targetId", target).put("flatten", true);
    tab.session = tab.tell("Target.attachToTarget", attach).getString("sessionId");
    for (String domain : List.of("Page", "Runtime", "Log", "Accessibility")) {
      tab.tell(domain + ".enable", new JsonObject());
    }
    return tab;
  }

  private void hear(JsonObject message) {
    JsonObject parameters = message.getJsonObject("params", new JsonObject());
    CompletableFuture<JsonObject> question = waiting.remove(message.getInteger("id", 0));
    if (question != null) {
      question.complete(message);
      return;
    }
    switch (message.getString("method", "")) {
      case "Runtime.exceptionThrown" -> complaints.add(parameters.encode());
      case "Runtime.consoleAPICalled" -> complain(parameters, parameters.getString("type"));
      case "Log.entryAdded" -> {
        JsonObject entry = parameters.getJsonObject("entry");
        complain(entry, entry.getString("level"));
      }
      default -> {} // of no interest
    }
  }

  private void complain(JsonObject what, String level) {
    if (level.equals("error") || level.equals("warning")) {
      complaints.add(what.encode());
    }
  }

  /** A command, and what came of it. */
  JsonObject tell(String method, JsonObject parameters) {
    int id = ids.incrementAndGet();
    CompletableFuture<JsonObject> answer = new CompletableFuture<>();
    waiting.put(id, answer);
    JsonObject command =
        new JsonObject().put("id", id).put("method", method).put("params", parameters);
    if (!session.isEmpty()) {
      command.put("sessionId", session);
    }
    socket.sendText(command.encode(), true).join();
    JsonObject message = answer.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    if (message.containsKey("error")) {
      throw new IllegalStateException(method + ": " + message.getJsonObject("error"));
    }
    return message.getJsonObject("result");
  }

  /** Opens an address; returns when it is loaded. */
  void go(String url) {
    tell("Page.navigate", new JsonObject().put("url", url));
    await()
        .atMost(Duration.ofSeconds(PATIENCE_SECONDS))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> value("document.readyState").equals("complete"));
  }

  /** What an expression comes to on the page. */
  Object value(String expression) {
    JsonObject asked =
        new JsonObject()
            .put("expression", expression)
            .put("returnByValue", true)
            .put("awaitPromise", true);
    JsonObject answer = tell("Runtime.evaluate", asked);
    if (answer.containsKey("exceptionDetails")) {
      throw new IllegalStateException(expression + ": " + answer);
    }
    return answer.getJsonObject("result").getValue("value");
  }

  /** All that can be read. */
  String text() {
    return (String) value(TEXT);
  }

  /** Types into whatever has the focus. */
  void type(String text) {
    tell("Input.insertText", new JsonObject().put("text", text));
  }

  void press(String key, int code) {
    JsonObject stroke =
        new JsonObject().put("key", key).put("code", key).put("windowsVirtualKeyCode", code);
    if (key.equals("Enter")) {
      stroke.put("text", "\r");
    }
    tell("Input.dispatchKeyEvent", stroke.copy().put("type", "keyDown"));
    tell("Input.dispatchKeyEvent", stroke.copy().put("type", "keyUp"));
  }

  /** What a screen reader is told, as {@code role name}. */
  List<String> spoken() {
    return tell("Accessibility.getFullAXTree", new JsonObject()).getJsonArray("nodes").stream()
        .map(JsonObject.class::cast)
        .filter(node -> !node.getBoolean("ignored", false))
        .map(node -> said(node, "role") + " " + said(node, "name"))
        .toList();
  }

  private static String said(JsonObject node, String what) {
    return node.getJsonObject(what, new JsonObject()).getString("value", "");
  }

  /** Shows the page to somebody who likes it {@code light} or {@code dark}. */
  void prefer(String scheme) {
    JsonObject feature = new JsonObject().put("name", "prefers-color-scheme").put("value", scheme);
    tell("Emulation.setEmulatedMedia", new JsonObject().put("features", List.of(feature)));
  }

  void resize(int width, int height) {
    tell(
        "Emulation.setDeviceMetricsOverride",
        new JsonObject()
            .put("width", width)
            .put("height", height)
            .put("deviceScaleFactor", 1)
            .put("mobile", false));
  }

  /** What is seen, as PNG. */
  byte[] picture() {
    JsonObject answer = tell("Page.captureScreenshot", new JsonObject().put("format", "png"));
    return Base64.getDecoder().decode(answer.getString("data"));
  }

  /** Errors and warnings since the last time, such as of the content security policy. */
  List<String> complaints() {
    List<String> all = List.copyOf(complaints);
    complaints.removeAll(all);
    return all;
  }

  @Override
  public void close() {
    tell("Page.close", new JsonObject());
    socket.abort();
  }
}

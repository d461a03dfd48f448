package io.weir.http.identity;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** Fetches a document over HTTP. Waits for it, so it is for a thread in the background. */
final class UrlSource<T> implements Refreshed.Source<T> {
  private static final int MOST_BYTES = 1 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final URI uri;
  private final FileSource.Parser<T> parser;
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private String last = "";

  UrlSource(URI uri, FileSource.Parser<T> parser) {
    this.uri = uri;
    this.parser = parser;
  }

  @Override
  public Optional<T> read() throws IOException {
    String text = fetch();
    if (text.equals(last)) {
      return Optional.empty();
    }
    T read = parser.parse(text);
    last = text;
    return Optional.of(read);
  }

  private String fetch() throws IOException {
    HttpRequest request = HttpRequest.newBuilder(uri).timeout(PATIENCE).build();
    try {
      HttpResponse<InputStream> response =
          client.send(request, HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        if (response.statusCode() != 200) {
          throw new IOException("it answers " + response.statusCode());
        }
        byte[] bytes = body.readNBytes(MOST_BYTES + 1);
        if (bytes.length > MOST_BYTES) {
          throw new IOException("larger than " + MOST_BYTES + " bytes");
        }
        return new String(bytes, StandardCharsets.UTF_8);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}

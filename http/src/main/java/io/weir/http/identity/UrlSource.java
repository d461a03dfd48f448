package io.weir.http.identity;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Fetches a document over HTTP. Blocks for up to a few seconds, so it is called on a background
 * thread.
 */
final class UrlSource<T> implements ReloadingValue.Source<T> {
  private static final int MAX_BYTES = 1 << 20;
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final URI uri;
  private final FileSource.Parser<T> parser;
  private final Duration timeout;
  private final HttpClient client;
  private String last = "";

  UrlSource(URI uri, FileSource.Parser<T> parser) {
    this(uri, parser, TIMEOUT);
  }

  /**
   * As {@link #UrlSource(URI, FileSource.Parser)}, with another timeout.
   *
   * @param timeout until the last byte has arrived
   */
  UrlSource(URI uri, FileSource.Parser<T> parser, Duration timeout) {
    this.uri = uri;
    this.parser = parser;
    this.timeout = timeout;
    this.client = HttpClient.newBuilder().connectTimeout(timeout).build();
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
    HttpRequest request = HttpRequest.newBuilder(uri).build();
    CompletableFuture<HttpResponse<byte[]>> response =
        client.sendAsync(request, info -> new BoundedBody());
    try {
      // The timeout of a request ends with the response head; the body could take forever.
      HttpResponse<byte[]> whole = response.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (whole.statusCode() != 200) {
        throw new IOException("response status " + whole.statusCode());
      }
      return new String(whole.body(), StandardCharsets.UTF_8);
    } catch (TimeoutException e) {
      response.cancel(true);
      throw new IOException("no complete response within " + timeout.toMillis() + " ms", e);
    } catch (ExecutionException e) {
      throw new IOException(reason(e.getCause()), e);
    } catch (InterruptedException e) {
      response.cancel(true);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static String reason(@Nullable Throwable cause) {
    String message = cause == null ? null : cause.getMessage();
    return message == null ? String.valueOf(cause) : message;
  }

  /** Collects a body, up to a maximum size. */
  private static final class BoundedBody implements HttpResponse.BodySubscriber<byte[]> {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;

    @Override
    public CompletionStage<byte[]> getBody() {
      return whole;
    }

    @Override
    public void onSubscribe(Flow.Subscription begun) {
      subscription = begun;
      begun.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> pieces) {
      for (ByteBuffer piece : pieces) {
        if (whole.isDone()) {
          return;
        }
        if (piece.remaining() > MAX_BYTES - bytes.size()) {
          onError(new IOException("larger than " + MAX_BYTES + " bytes"));
          return;
        }
        byte[] some = new byte[piece.remaining()];
        piece.get(some);
        bytes.writeBytes(some);
      }
    }

    @Override
    public void onError(Throwable failure) {
      whole.completeExceptionally(failure);
      if (subscription != null) {
        subscription.cancel();
      }
    }

    @Override
    public void onComplete() {
      whole.complete(bytes.toByteArray());
    }
  }
}

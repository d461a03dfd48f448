package io.weir.server.admin.api;

import io.weir.engine.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits on a worker thread for the store that decides. */
final class StoreAnswers {
  private static final Duration WAIT = Duration.ofSeconds(5);

  private StoreAnswers() {}

  /**
   * The result of a stage.
   *
   * @throws ApiProblemException with status 503 if the store does not answer in time
   */
  static <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(WAIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StoreUnavailableException unavailable) {
        throw ApiProblemException.unavailable(
            "the store is unavailable: " + unavailable.getMessage());
      }
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e);
    } catch (TimeoutException e) {
      throw ApiProblemException.unavailable("the store did not answer within 5 s");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ApiProblemException.unavailable("the server stops");
    }
  }
}

package io.weir.testkit;

import io.weir.store.Store;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A store that answers on other threads, as a remote one does. */
public final class ThreadedStore extends RemoteStore {
  private final Executor threads;

  public ThreadedStore(Store store, Executor threads) {
    super(store);
    this.threads = threads;
  }

  /** A store with a latency of half a millisecond. */
  public static ThreadedStore distant(Store store) {
    return new ThreadedStore(store, CompletableFuture.delayedExecutor(500, TimeUnit.MICROSECONDS));
  }

  @Override
  protected <T> CompletionStage<T> send(Supplier<CompletionStage<T>> question) {
    return CompletableFuture.supplyAsync(question, threads).thenCompose(answer -> answer);
  }
}

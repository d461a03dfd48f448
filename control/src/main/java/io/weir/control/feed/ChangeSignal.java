package io.weir.control.feed;

/** Signals to a follower that there may be something new. A lost signal costs time, no change. */
@FunctionalInterface
public interface ChangeSignal {
  /** Calls a listener for every signal until the subscription is closed. */
  AutoCloseable subscribe(Runnable listener);
}

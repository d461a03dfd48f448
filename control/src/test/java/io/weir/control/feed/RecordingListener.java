package io.weir.control.feed;

import io.weir.control.database.DatabaseException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Notes what a follower hands over. */
public final class RecordingListener implements FeedListener {
  public final List<FeedUpdate> updates = new CopyOnWriteArrayList<>();
  public final AtomicInteger unavailable = new AtomicInteger();
  public final AtomicInteger reads = new AtomicInteger();
  public final AtomicLong seq = new AtomicLong();
  public volatile boolean failing;

  @Override
  public void snapshot(FeedUpdate.Snapshot snapshot) {
    note(snapshot, snapshot.position());
  }

  @Override
  public void delta(FeedUpdate.Delta delta) {
    note(delta, delta.position());
  }

  private void note(FeedUpdate update, FeedPosition position) {
    if (failing) {
      throw new IllegalStateException("cannot apply");
    }
    updates.add(update);
    seq.set(position.seq());
  }

  @Override
  public void refused(FeedUpdate.Refused refusal) {
    updates.add(refusal);
  }

  @Override
  public void upToDate() {
    reads.incrementAndGet();
  }

  @Override
  public void unavailable(DatabaseException cause) {
    unavailable.incrementAndGet();
  }
}

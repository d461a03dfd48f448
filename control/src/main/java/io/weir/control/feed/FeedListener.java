package io.weir.control.feed;

import io.weir.control.database.DatabaseException;

/**
 * What an instance does with updates. Called on the follower's thread, one call at a time. An
 * update that throws counts as not applied and comes again.
 */
public interface FeedListener {
  void snapshot(FeedUpdate.Snapshot snapshot);

  void delta(FeedUpdate.Delta delta);

  /** The log does not continue, or lacks a version; comes again with every poll. */
  void refused(FeedUpdate.Refused refusal);

  /** The database was read, whether or not anything was new. */
  void upToDate();

  /** The database could not be read; the state stays as it is. */
  void unavailable(DatabaseException cause);
}

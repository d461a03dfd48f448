package io.weir.near.fallback;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/** The ids of the latest reservations that this instance decided itself, at most 65,536. */
public final class RecentReservations {
  private static final int REMEMBERED = 65_536;

  private final Set<Long> ids = new LinkedHashSet<>();

  public synchronized void add(long id) {
    ids.add(id);
    if (ids.size() > REMEMBERED) {
      Iterator<Long> oldest = ids.iterator();
      oldest.next();
      oldest.remove();
    }
  }

  public synchronized boolean contains(long id) {
    return ids.contains(id);
  }
}

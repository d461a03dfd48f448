/** Distribution: a snapshot, deltas since a sequence number, and the cache on disk. */
@NullMarked
package io.weir.control.feed;

import org.jspecify.annotations.NullMarked;

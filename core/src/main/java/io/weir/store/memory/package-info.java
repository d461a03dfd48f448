/** The in-memory table of buckets. */
@NullMarked
package io.weir.store.memory;

import org.jspecify.annotations.NullMarked;

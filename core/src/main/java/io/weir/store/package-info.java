/** The store contract: draws, pools, leases and results. */
@NullMarked
package io.weir.store;

import org.jspecify.annotations.NullMarked;

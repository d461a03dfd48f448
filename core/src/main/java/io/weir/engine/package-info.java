/** From a call to a decision: plans draws, sends them to the store, and manages reservations. */
@NullMarked
package io.weir.engine;

import org.jspecify.annotations.NullMarked;

/**
 * The way from a call to a decision: plans draws by rules, takes them from the store, and settles
 * reservations.
 */
@NullMarked
package io.weir.engine;

import org.jspecify.annotations.NullMarked;

/**
 * The algorithms as pure whole-number arithmetic: a meter reads and writes one state, and uses no
 * store and no clock.
 */
@NullMarked
package io.weir.limit;

import org.jspecify.annotations.NullMarked;

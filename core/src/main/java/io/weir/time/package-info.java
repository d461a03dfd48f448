/** Clocks and timers, which tests and simulations replace. */
@NullMarked
package io.weir.time;

import org.jspecify.annotations.NullMarked;

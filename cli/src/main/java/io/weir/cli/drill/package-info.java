/** Rehearses outages on a Redis on loopback. */
@NullMarked
package io.weir.cli.drill;

import org.jspecify.annotations.NullMarked;

/** Fault injection for drills: makes a Redis on loopback fail for a while, and repairs it. */
@NullMarked
package io.weir.cli.drill;

import org.jspecify.annotations.NullMarked;

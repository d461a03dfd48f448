/** A shared store that lends, in memory and virtual time, and fleets of instances that borrow. */
@NullMarked
package io.weir.testkit.lease;

import org.jspecify.annotations.NullMarked;

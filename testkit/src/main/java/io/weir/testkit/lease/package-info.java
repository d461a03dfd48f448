/**
 * An in-memory shared store that lends, in virtual time, and fleets of instances with leases from
 * it.
 */
@NullMarked
package io.weir.testkit.lease;

import org.jspecify.annotations.NullMarked;

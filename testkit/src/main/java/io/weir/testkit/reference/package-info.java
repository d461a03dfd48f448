/**
 * The semantics in their slowest and plainest form: exact rationals, one class per algorithm, no
 * bounds and no optimisation. A store is correct if its decisions equal those of this package.
 */
@NullMarked
package io.weir.testkit.reference;

import org.jspecify.annotations.NullMarked;

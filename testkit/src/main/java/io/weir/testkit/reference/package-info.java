/**
 * The semantics once more, as slow and plain as they can be written: exact rationals, one class per
 * algorithm, no bounds and no tricks. What a store decides is right if it equals what is decided
 * here.
 */
@NullMarked
package io.weir.testkit.reference;

import org.jspecify.annotations.NullMarked;

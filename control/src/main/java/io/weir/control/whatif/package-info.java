/** Recorded calls, and their replay against other rules: what-if and suggested limits. */
@NullMarked
package io.weir.control.whatif;

import org.jspecify.annotations.NullMarked;

/** Cached refusals that still hold. */
@NullMarked
package io.weir.near.deny;

import org.jspecify.annotations.NullMarked;

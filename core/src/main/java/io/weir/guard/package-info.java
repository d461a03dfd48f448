/** Caps that protect the store from a flood of new keys by a single client. */
@NullMarked
package io.weir.guard;

import org.jspecify.annotations.NullMarked;

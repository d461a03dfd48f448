/** Caps that protect the table of keys from a single client. */
@NullMarked
package io.weir.guard;

import org.jspecify.annotations.NullMarked;

/** The near store: answers that need no request to the shared store, in order. */
@NullMarked
package io.weir.near;

import org.jspecify.annotations.NullMarked;

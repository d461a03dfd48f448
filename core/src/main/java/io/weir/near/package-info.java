/** The near store: the steps that decide a call without a request to the shared store, in order. */
@NullMarked
package io.weir.near;

import org.jspecify.annotations.NullMarked;

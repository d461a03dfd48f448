/** Tokens taken from the shared store in advance, so that calls are decided in process. */
@NullMarked
package io.weir.near.lease;

import org.jspecify.annotations.NullMarked;

/** Exact numbers, times and texts that the values are made of; uses nothing else of Weir. */
@NullMarked
package io.weir.base;

import org.jspecify.annotations.NullMarked;

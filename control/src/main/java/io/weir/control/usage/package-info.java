/** Checkpoints of quota usage, and their return to a store that lost its counts. */
@NullMarked
package io.weir.control.usage;

import org.jspecify.annotations.NullMarked;

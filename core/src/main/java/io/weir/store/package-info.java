/** Where state lives: the store contract, draws, and the in-memory table. */
@NullMarked
package io.weir.store;

import org.jspecify.annotations.NullMarked;

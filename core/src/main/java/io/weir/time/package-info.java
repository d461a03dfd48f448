/** Where time comes from, so that tests and simulations can bring their own. */
@NullMarked
package io.weir.time;

import org.jspecify.annotations.NullMarked;

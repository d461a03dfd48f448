/** The tables of the control plane, one class each. */
@NullMarked
package io.weir.control.store;

import org.jspecify.annotations.NullMarked;

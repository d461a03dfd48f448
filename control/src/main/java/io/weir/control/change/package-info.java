/** One transaction per change: a sequence number, an audit entry, a notification. */
@NullMarked
package io.weir.control.change;

import org.jspecify.annotations.NullMarked;

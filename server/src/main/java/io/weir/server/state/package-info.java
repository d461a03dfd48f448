/** The stores and rules that a process runs on. */
@NullMarked
package io.weir.server.state;

import org.jspecify.annotations.NullMarked;

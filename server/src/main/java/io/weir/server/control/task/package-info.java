/** Threads of the control plane, and work that is repeated until it succeeds. */
@NullMarked
package io.weir.server.control.task;

import org.jspecify.annotations.NullMarked;

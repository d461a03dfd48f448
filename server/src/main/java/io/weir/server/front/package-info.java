/** Limits real requests: caller authentication, load shedding, decision and response. */
@NullMarked
package io.weir.server.front;

import org.jspecify.annotations.NullMarked;

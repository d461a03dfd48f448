/** Handlers that work below Vert.x, on Netty. */
@NullMarked
package io.weir.server.netty;

import org.jspecify.annotations.NullMarked;

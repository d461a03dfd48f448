/** Everything that reaches below Vert.x into Netty. */
@NullMarked
package io.weir.server.netty;

import org.jspecify.annotations.NullMarked;

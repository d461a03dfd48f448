/** Matches descriptors of Envoy to limits and decides them. */
@NullMarked
package io.weir.server.envoy.limit;

import org.jspecify.annotations.NullMarked;

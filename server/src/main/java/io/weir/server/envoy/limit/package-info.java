/** Matches the descriptors of Envoy's requests to limits and decides the requests. */
@NullMarked
package io.weir.server.envoy.limit;

import org.jspecify.annotations.NullMarked;

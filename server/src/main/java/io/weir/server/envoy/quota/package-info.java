/** The rate limit quota service (RLQS) of Envoy. */
@NullMarked
package io.weir.server.envoy.quota;

import org.jspecify.annotations.NullMarked;

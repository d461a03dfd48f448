/** Envoy's rate limit quota service (RLQS): Envoys report usage and enforce assigned shares. */
@NullMarked
package io.weir.server.envoy.quota;

import org.jspecify.annotations.NullMarked;

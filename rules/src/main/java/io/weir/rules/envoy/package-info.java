/**
 * Envoy's rate limit descriptors: the configuration in the format of {@code envoyproxy/ratelimit},
 * the limit that a descriptor matches, and the decision for a request.
 */
@NullMarked
package io.weir.rules.envoy;

import org.jspecify.annotations.NullMarked;

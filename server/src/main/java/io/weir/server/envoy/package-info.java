/**
 * Envoy's rate limit service (RLS), over gRPC or as JSON: listeners, configuration reload and
 * metrics.
 */
@NullMarked
package io.weir.server.envoy;

import org.jspecify.annotations.NullMarked;

/**
 * Envoy's rate limit service: the questions that Envoy asks, over gRPC or as JSON, and the answers
 * it understands.
 */
@NullMarked
package io.weir.server.envoy;

import org.jspecify.annotations.NullMarked;

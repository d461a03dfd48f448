/** Script calls to a node: batching, deadlines, node health and the circuit breaker. */
@NullMarked
package io.weir.redis.call;

import org.jspecify.annotations.NullMarked;

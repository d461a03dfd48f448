/** Measures limiters that keep their state in Redis, on real Redis processes. */
@NullMarked
package io.weir.bench.redis;

import org.jspecify.annotations.NullMarked;

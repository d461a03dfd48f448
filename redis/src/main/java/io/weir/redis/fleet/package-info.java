/** The number of instances that share a Redis. */
@NullMarked
package io.weir.redis.fleet;

import org.jspecify.annotations.NullMarked;

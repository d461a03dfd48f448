/** The Redis store: one limit for the whole fleet, decided by scripts in one round trip. */
@NullMarked
package io.weir.redis;

import org.jspecify.annotations.NullMarked;

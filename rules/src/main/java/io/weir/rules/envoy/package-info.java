/**
 * Envoy's rate limit descriptors: what a configuration in the format of {@code
 * envoyproxy/ratelimit} says, which limit a descriptor meets, and what a request draws and is told.
 */
@NullMarked
package io.weir.rules.envoy;

import org.jspecify.annotations.NullMarked;

/** Reads limits for Envoy from files in the format of {@code envoyproxy/ratelimit}. */
@NullMarked
package io.weir.rules.envoy;

import org.jspecify.annotations.NullMarked;

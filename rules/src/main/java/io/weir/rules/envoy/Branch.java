package io.weir.rules.envoy;

import org.jspecify.annotations.Nullable;

/**
 * A descriptor made ready for requests.
 *
 * @param limit what holds for requests that end here, if anything
 * @param varies whether each value that comes this way has a count of its own
 */
record Branch(@Nullable LiveLimit limit, boolean varies, Level next) {}

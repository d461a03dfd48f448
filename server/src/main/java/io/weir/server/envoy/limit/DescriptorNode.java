package io.weir.server.envoy.limit;

import org.jspecify.annotations.Nullable;

/**
 * A descriptor made ready for requests.
 *
 * @param limit what holds for requests that end here, if anything
 * @param varies whether each value that comes this way has a count of its own
 */
record DescriptorNode(@Nullable CompiledLimit limit, boolean varies, DescriptorLevel next) {}

package io.weir.server.envoy.limit;

import org.jspecify.annotations.Nullable;

/**
 * A compiled descriptor: a node of the descriptor tree.
 *
 * @param limit the limit of requests that end here, or null
 * @param varies whether each value that matches has a count of its own
 */
record DescriptorNode(@Nullable CompiledLimit limit, boolean varies, DescriptorLevel next) {}

/** gRPC over Vert.x: unary calls, stream timeouts, errors and health. */
@NullMarked
package io.weir.server.envoy.grpc;

import org.jspecify.annotations.NullMarked;

/** Front ends under load: Envoy's service over gRPC, and the gateway next to other proxies. */
@org.jspecify.annotations.NullMarked
package io.weir.bench.front;

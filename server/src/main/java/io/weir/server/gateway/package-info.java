/** The gateway: forwards admitted requests to upstreams. */
@NullMarked
package io.weir.server.gateway;

import org.jspecify.annotations.NullMarked;

/** Connections to a node, a Cluster or a ring, and the routing of script calls to them. */
@NullMarked
package io.weir.redis.link;

import org.jspecify.annotations.NullMarked;

/** HTTP plumbing on Vert.x: routing, bodies, headers, problems and request validation. */
@NullMarked
package io.weir.server.http;

import org.jspecify.annotations.NullMarked;

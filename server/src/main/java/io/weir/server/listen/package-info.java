/** Listeners: ports, TLS and malformed requests. */
@NullMarked
package io.weir.server.listen;

import org.jspecify.annotations.NullMarked;

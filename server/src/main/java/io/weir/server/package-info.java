/** Runs Weir as a process: listeners, the check API, the gateway and the admin port. */
@NullMarked
package io.weir.server;

import org.jspecify.annotations.NullMarked;

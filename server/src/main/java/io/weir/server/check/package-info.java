/** The check API: decisions, batches, reservations and forward-auth. */
@NullMarked
package io.weir.server.check;

import org.jspecify.annotations.NullMarked;

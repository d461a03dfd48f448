/** The admin API: its contract, its routes, and the requests they answer. */
@NullMarked
package io.weir.server.admin.api;

import org.jspecify.annotations.NullMarked;

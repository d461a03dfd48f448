/** Commands on the control plane of a running server, by its admin API. */
@NullMarked
package io.weir.cli.admin;

import org.jspecify.annotations.NullMarked;

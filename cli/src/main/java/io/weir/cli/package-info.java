/** The {@code weir} command and its subcommands. */
@NullMarked
package io.weir.cli;

import org.jspecify.annotations.NullMarked;

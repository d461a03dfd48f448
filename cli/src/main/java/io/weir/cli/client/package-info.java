/** The HTTP client of commands that talk to a running server. */
@NullMarked
package io.weir.cli.client;

import org.jspecify.annotations.NullMarked;

/** Output of commands as text or JSON. */
@NullMarked
package io.weir.cli.output;

import org.jspecify.annotations.NullMarked;

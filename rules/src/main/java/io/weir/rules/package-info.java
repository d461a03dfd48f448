/** Reads, validates, compares and writes the rule document. */
@NullMarked
package io.weir.rules;

import org.jspecify.annotations.NullMarked;

/** Reads, validates and watches the rule document. */
@NullMarked
package io.weir.rules;

import org.jspecify.annotations.NullMarked;

/** Helpers for messages about documents. */
@NullMarked
package io.weir.rules.text;

import org.jspecify.annotations.NullMarked;

/** Tighter limits for keys that are refused repeatedly. */
@NullMarked
package io.weir.rule.penalty;

import org.jspecify.annotations.NullMarked;

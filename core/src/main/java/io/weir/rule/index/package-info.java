/** Finds the rules that apply to a call, and the pools they draw from. */
@NullMarked
package io.weir.rule.index;

import org.jspecify.annotations.NullMarked;

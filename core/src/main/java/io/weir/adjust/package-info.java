/** What operators decided about single keys: overrides, blocks, signals and kill switches. */
@NullMarked
package io.weir.adjust;

import org.jspecify.annotations.NullMarked;

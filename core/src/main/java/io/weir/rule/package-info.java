/** Rules as values: the calls they match, their keys and their limits. */
@NullMarked
package io.weir.rule;

import org.jspecify.annotations.NullMarked;

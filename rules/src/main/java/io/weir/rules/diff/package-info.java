/** The differences between two rule sets, in the words of the rule document. */
@NullMarked
package io.weir.rules.diff;

import org.jspecify.annotations.NullMarked;

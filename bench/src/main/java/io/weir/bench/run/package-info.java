/** Runs subjects side by side in processes of their own. */
@NullMarked
package io.weir.bench.run;

import org.jspecify.annotations.NullMarked;

/** Runs subjects side by side in separate processes. */
@NullMarked
package io.weir.bench.run;

import org.jspecify.annotations.NullMarked;

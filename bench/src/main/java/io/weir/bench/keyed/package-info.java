/** Benchmarks of limiters by key, in process. */
@NullMarked
package io.weir.bench.keyed;

import org.jspecify.annotations.NullMarked;

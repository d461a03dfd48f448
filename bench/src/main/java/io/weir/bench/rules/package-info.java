/** Benchmarks of decisions by rules. */
@NullMarked
package io.weir.bench.rules;

import org.jspecify.annotations.NullMarked;

/** The store contract as tests: extend it, provide a store, and run it. */
@NullMarked
package io.weir.testkit.contract;

import org.jspecify.annotations.NullMarked;

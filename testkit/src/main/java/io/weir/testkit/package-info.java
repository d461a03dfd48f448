/** Shares the store contract and the tools that tests need to hold an implementation to it. */
@NullMarked
package io.weir.testkit;

import org.jspecify.annotations.NullMarked;

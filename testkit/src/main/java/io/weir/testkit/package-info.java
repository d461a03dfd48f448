/** The store contract and the tools that tests need to check an implementation against it. */
@NullMarked
package io.weir.testkit;

import org.jspecify.annotations.NullMarked;

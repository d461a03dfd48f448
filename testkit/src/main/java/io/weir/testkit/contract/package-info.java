/** What every store must do, in code: extend the contract, give it a store, and run it. */
@NullMarked
package io.weir.testkit.contract;

import org.jspecify.annotations.NullMarked;
